import { defaultClients } from 'toolfold';
import type { KnownClient } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { expect, it, onTestFinished } from 'vitest';
import { runHere } from '../../packages/cli/test/cli-program.js';
import { registry } from './programs/cli-server.js';
import { modernRequest } from './raw-request.js';

interface Reported {
  readonly clients: readonly { readonly client: KnownClient; readonly tools: number }[];
}

interface Listed {
  readonly result: { readonly tools: readonly unknown[]; readonly cacheScope: string };
}

it('inspect --clients reports as many tools for each client as a server lists for it', async () => {
  const { code, out } = await runHere(['inspect', '--json', '--clients', 'test/wire/programs/cli-server.ts']);
  expect(code).toBe(0);
  const { clients } = JSON.parse(out) as Reported;
  const handler = createHandler(registry, { view: { profile: 'client', form: 'auto' } });
  onTestFinished(() => handler.close());
  const list = async ({ name, since = '0' }: KnownClient): Promise<Listed['result']> => {
    const meta = {
      'io.modelcontextprotocol/clientInfo': { name: name.replace(/\*$/, ''), version: since },
    };
    const request = modernRequest('tools/list', {}, { meta });
    const response = await handler.fetch(new Request('http://localhost/mcp', request));
    return ((await response.json()) as Listed).result;
  };
  const lists = await Promise.all(defaultClients.map(list));
  expect(lists.map(({ tools }) => tools.length)).toEqual(clients.map(({ tools }) => tools));
  expect(new Set(lists.map(({ cacheScope }) => cacheScope))).toEqual(new Set(['private']));
  expect(new Set(lists.map(({ tools }) => tools.length)).size).toBeGreaterThan(1);
});
