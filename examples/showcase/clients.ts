/** Configurations to paste into MCP clients. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Form } from './choices.js';
import type { Options } from './options.js';

/** The command that starts this program with the same options. It avoids npm, which writes to standard output. */
function stdioServer(options: Options, databaseUrl: string | undefined) {
  const start = fileURLToPath(new URL('start.ts', import.meta.url));
  const { form, allow, toolsets, isReadOnly, callsPerMinute, data } = options;
  const args = ['--import', import.meta.resolve('tsx'), start, '--stdio', '--form', form];
  if (form === 'code') args.push('--allow', allow);
  if (toolsets) args.push('--toolsets', toolsets.join(','));
  if (isReadOnly) args.push('--readonly');
  args.push('--calls-per-minute', String(callsPerMinute));
  if (databaseUrl === undefined) args.push('--data', resolve(data));
  return {
    command: process.execPath,
    args,
    ...(databaseUrl === undefined ? {} : { env: { DATABASE_URL: withoutPassword(databaseUrl) } }),
  };
}

/** Hides the password of an address. */
function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (url.password !== '') url.password = 'YOUR-PASSWORD';
  return url.href;
}

export function describeClients(url: string, options: Options, databaseUrl: string | undefined): string {
  const { form } = options;
  const needsKey = options.keys !== undefined;
  const header = { Authorization: 'Bearer YOUR-KEY' };
  const remote = { url, ...(needsKey ? { headers: header } : {}) };
  const json = (value: object): string => JSON.stringify(value, undefined, 2);
  return `Claude Code, in a terminal:

claude mcp add --transport http finance ${url}${needsKey ? ` --header "Authorization: ${header.Authorization}"` : ''}

Cursor, in ~/.cursor/mcp.json:

${json({ mcpServers: { finance: remote } })}

VS Code, in .vscode/mcp.json:

${json({ servers: { finance: { type: 'http', ...remote } } })}

Claude Desktop, in claude_desktop_config.json (Settings, Developer, Edit Config). It starts the server itself${databaseUrl === undefined ? ', so end this\none first: one process at a time has the books' : ''}.

${json({ mcpServers: { finance: stdioServer(options, databaseUrl) } })}

A call from a terminal:

${curlLine(url, form, needsKey)}
`;
}

/** A complete example call. */
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
  if (form === 'code') return { name: 'run_code', arguments: { code: 'await tools.finance.overview({})' } };
  return { name: 'call_read_tool', arguments: { address: 'finance/overview', arguments: {} } };
}
