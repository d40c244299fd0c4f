import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { configOf, start } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';
import { modernRequest } from './raw-request.js';

/** A list is sent as several headers of the same name. */
async function list(url: string, selecting: Readonly<Record<string, string | string[]>>) {
  const { headers, body } = modernRequest('tools/list');
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', headers: { ...headers, ...selecting } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('a repeated selection header', () => {
  it.each([
    ['X-MCP-Toolsets', ['users', 'billing']],
    ['x-mcp-toolsets', ['users', 'users']],
    ['X-MCP-Tools', ['list_users', 'pay_invoice']],
  ])('is rejected, because together both would select more than each: %s', async (name, values) => {
    const server = await start(configOf());
    cleanUps.push(() => server.close());
    const { status, text } = await list(server.url, { [name]: values });
    expect(status).toBe(400);
    expect(text.toLowerCase()).toContain(`several ${name.toLowerCase()} headers`);
    const [first = ''] = values;
    expect((await list(server.url, { [name]: first })).status).toBe(200);
  });

  it('is rejected as a flag, and excludes the union as a list of exclusions', async () => {
    const server = await start(configOf());
    cleanUps.push(() => server.close());
    expect((await list(server.url, { 'X-MCP-Readonly': ['true', 'false'] })).status).toBe(400);
    const { text } = await list(server.url, { 'X-MCP-Exclude-Tools': ['add_user', 'pay_invoice'] });
    for (const [name, isThere] of [
      ['list_users', true],
      ['add_user', false],
      ['pay_invoice', false],
    ] as const)
      expect(text.includes(`"name":"${name}"`)).toBe(isThere);
  });
});
