import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../../../../scripts/run-npm.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
const programs = {
  context7: '@upstash/context7-mcp/dist/index.js',
  everything: '@modelcontextprotocol/server-everything/dist/index.js',
  files: '@modelcontextprotocol/server-filesystem/dist/index.js',
  hello: 'mcp-hello-world/build/stdio.js',
  memory: '@modelcontextprotocol/server-memory/dist/index.js',
  notion: '@notionhq/notion-mcp-server/bin/cli.mjs',
  runner: 'mcp-server-code-runner/dist/cli.js',
  thinking: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
  time: 'time-mcp/dist/index.js',
} as const;

export type NpmServer = keyof typeof programs;

export function programOf(name: NpmServer): string {
  return join(folder, 'node_modules', programs[name]);
}

/** Installs the servers unless they are installed. npm prints to standard error. */
export function installServers(): void {
  if (areInstalled()) return;
  // The servers need no native code, so no package runs a script.
  runNpm(['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (!areInstalled())
    throw new Error('The servers are not installed. Run `npm --prefix packages/gateway/test/gateway ci`.');
}

function areInstalled(): boolean {
  return (Object.keys(programs) as NpmServer[]).every((name) => existsSync(programOf(name)));
}

/** All servers for `mcpServers`. Their files are in a folder. */
export function npmServers(
  place: string,
): Record<NpmServer, { command: string; args: string[]; env?: object }> {
  const run = (name: NpmServer, args: readonly string[] = [], env: object = {}) => ({
    command: process.execPath,
    args: [programOf(name), ...args],
    env,
  });
  return {
    context7: run('context7'),
    everything: run('everything', ['stdio']),
    files: run('files', [place]),
    hello: run('hello'),
    memory: run('memory', [], { MEMORY_FILE_PATH: join(place, 'memory.jsonl') }),
    notion: run('notion', [], { NOTION_TOKEN: 'none' }),
    runner: run('runner'),
    thinking: run('thinking'),
    time: run('time'),
  };
}
