/** What a person pastes into their client. */
import { fileURLToPath } from 'node:url';
import type { Form } from './choices.js';

export interface ServedAt {
  readonly url: string;
  readonly form: Form;
  readonly data: string;
  readonly needsKey: boolean;
}

/** Starts this program without npm, which writes lines of its own on standard output. */
export function stdioCommand(data: string): readonly [command: string, ...args: string[]] {
  const start = fileURLToPath(new URL('start.ts', import.meta.url));
  return [process.execPath, '--import', import.meta.resolve('tsx'), start, '--stdio', '--data', data];
}

export function describeClients({ url, form, data, needsKey }: ServedAt): string {
  const [command, ...args] = stdioCommand(data);
  const header = { Authorization: 'Bearer YOUR-KEY' };
  const remote = { url, ...(needsKey ? { headers: header } : {}) };
  const json = (value: object): string => JSON.stringify(value, undefined, 2);
  return `Claude Code, in a terminal:

claude mcp add --transport http finance ${url}${needsKey ? ` --header "Authorization: ${header.Authorization}"` : ''}

Cursor, in ~/.cursor/mcp.json:

${json({ mcpServers: { finance: remote } })}

VS Code, in .vscode/mcp.json:

${json({ servers: { finance: { type: 'http', ...remote } } })}

Claude Desktop, in claude_desktop_config.json (Settings, Developer, Edit Config). It starts the server itself, so end this
one first: one process at a time has the books.

${json({ mcpServers: { finance: { command, args } } })}

A call from a terminal:

${curlLine(url, form, needsKey)}
`;
}

/** One call, complete in itself. */
export function curlLine(url: string, form: Form, needsKey = false): string {
  const call = overviewCall(form);
  const version = '2026-07-28';
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      ...call,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = [
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${version}`,
    'mcp-method: tools/call',
    `mcp-name: ${call.name}`,
    ...(needsKey ? ['authorization: Bearer YOUR-KEY'] : []),
  ];
  return `curl -s ${url} ${headers.map((header) => `-H '${header}'`).join(' ')} -d '${JSON.stringify(body)}'`;
}

function overviewCall(form: Form) {
  if (form === 'grouped') return { name: 'finance', arguments: { action: 'overview' } };
  if (form === 'flat') return { name: 'finance_overview', arguments: {} };
  return { name: 'call_read_tool', arguments: { address: 'finance/overview', arguments: {} } };
}
