import { Agent, request } from 'node:http';

const VERSION = '2026-07-28';
const agent = new Agent({ keepAlive: true });

/**
 * Sends one 2026 tools/call, and returns the text of the response.
 *
 * @param {string} url
 * @param {string} name
 * @param {object} args
 * @param {string} [key] an API key
 */
export async function callTool(url, name, args, key) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': VERSION,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...(key === undefined ? {} : { 'x-api-key': key }),
  };
  /** @type {{ status: number | undefined, text: string }} */
  const { status, text } = await new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => (received += chunk));
      response.once('end', () => resolve({ status: response.statusCode, text: received }));
    });
    sent.once('error', reject).end(body);
  });
  if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`);
  return text;
}
