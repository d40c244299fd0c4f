import { encodeCaller, pathOf, revisions } from '../../../mcp/endpoint.js';
import type { CopiedCall } from './copied-call.js';
import { encodeHeader } from './param-headers.js';
import { quoteForShell } from './shell-quote.js';

/**
 * Returns a shell command that sends the call to the page's endpoint. The token stays a shell variable, so that it is
 * not shared by accident.
 */
export function toCurl(call: CopiedCall): string {
  return call.era === '2026' ? modernCurl(call) : legacyCurl(call);
}

const client = { name: 'curl', version: '1.0.0' };

function modernCurl(call: CopiedCall): string {
  const { method, params, paramHeaders = {} } = call;
  const name = params[method === 'resources/read' ? 'uri' : 'name'];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revisions['2026'],
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': client,
  };
  return command(
    call,
    [
      `MCP-Protocol-Version: ${revisions['2026']}`,
      `Mcp-Method: ${method}`,
      `Mcp-Name: ${encodeHeader(String(name))}`,
      ...Object.entries(paramHeaders).map(([header, value]) => `${header}: ${encodeHeader(value)}`),
    ],
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...own(params), ...meta } } },
  );
}

/** 2025 servers have sessions: the first command opens one, and the second calls in it. */
function legacyCurl(call: CopiedCall): string {
  const initialize = command(
    call,
    [],
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: revisions['2025'], capabilities: {}, clientInfo: client },
    },
    ' -D - -o /dev/null',
  );
  const headers = [`MCP-Protocol-Version: ${revisions['2025']}`];
  const body = { jsonrpc: '2.0', id: 1, method: call.method, params: call.params };
  return [
    `SESSION=$(${initialize} | tr -d '\\r' | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')`,
    command(call, headers, body, '', ['-H "Mcp-Session-Id: $SESSION"']),
  ].join('\n');
}

function own({ _meta }: Readonly<Record<string, unknown>>): object {
  return typeof _meta === 'object' && _meta !== null ? _meta : {};
}

function command(
  { origin, form, profile, caller }: CopiedCall,
  headers: readonly string[],
  body: object,
  flags = '',
  more: readonly string[] = [],
): string {
  const all = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers,
    ...(caller === undefined ? [] : [`x-toolfold-caller: ${encodeCaller(caller)}`]),
  ];
  return [
    `curl -sS${flags} ${quoteForShell(`${origin}${pathOf({ form, profile })}`)}`,
    '-H "x-toolfold-token: $TOOLFOLD_TOKEN"',
    ...all.map((header) => `-H ${quoteForShell(header)}`),
    ...more,
    `--data-raw ${quoteForShell(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
