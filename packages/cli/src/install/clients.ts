import { homedir } from 'node:os';
import { join } from 'node:path';

/** How a client reaches a server: by starting a command, or at an address. */
export type ServerEntry =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface InstallClient {
  readonly title: string;
  /** Path of the configuration. A relative one belongs to the project, which then starts its own copy of Toolfold. */
  readonly file: string;
  /** The field with the servers. Missing for a TOML file. */
  readonly field?: string;
  /** Writes a server as the client expects it. Returns `undefined` if the client cannot reach such a server. */
  readonly toConfig: (entry: ServerEntry) => Readonly<Record<string, unknown>> | undefined;
  /** A link that opens the client and asks its user to add the server. */
  readonly toLink?: (name: string, config: Readonly<Record<string, unknown>>) => string;
}

const withType = (entry: ServerEntry) => ({ type: 'url' in entry ? 'http' : 'stdio', ...entry });

function claudeFolder(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Claude');
  if (process.platform === 'win32')
    return join(process.env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Claude');
  return join(homedir(), '.config', 'Claude');
}

/** Reads the home folder when the command runs, because tests replace it. */
export const createClients = (): Readonly<Record<string, InstallClient>> => ({
  claude: {
    title: 'Claude Desktop',
    file: join(claudeFolder(), 'claude_desktop_config.json'),
    field: 'mcpServers',
    toConfig: (entry) => ('url' in entry ? undefined : entry),
  },
  'claude-code': { title: 'Claude Code', file: '.mcp.json', field: 'mcpServers', toConfig: withType },
  cursor: {
    title: 'Cursor',
    file: join('.cursor', 'mcp.json'),
    field: 'mcpServers',
    toConfig: (entry) => entry,
    toLink: (name, config) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(
        Buffer.from(JSON.stringify(config)).toString('base64'),
      )}`,
  },
  vscode: {
    title: 'VS Code',
    file: join('.vscode', 'mcp.json'),
    field: 'servers',
    toConfig: withType,
    toLink: (name, config) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...config }))}`,
  },
  codex: {
    title: 'Codex',
    file: join(homedir(), '.codex', 'config.toml'),
    toConfig: (entry) =>
      'url' in entry ? { url: entry.url, ...(entry.headers ? { http_headers: entry.headers } : {}) } : entry,
  },
  gemini: {
    title: 'Gemini CLI',
    file: join(homedir(), '.gemini', 'settings.json'),
    field: 'mcpServers',
    toConfig: (entry) => {
      if (!('url' in entry)) return entry;
      const { url: httpUrl, ...rest } = entry;
      return { httpUrl, ...rest };
    },
  },
});
