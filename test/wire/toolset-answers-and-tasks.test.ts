import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { cleanUps } from './toolset-setup.js';
import { modernRequest } from './raw-request.js';

async function serve(toolsets: ToolsetConfig) {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets });
  cleanUps.push(() => server.close());
  return async (
    path: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const capabilities = {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    };
    const request = modernRequest(method, params, { capabilities, headers });
    const response = await fetch(`${server.url}${path}`, request);
    return (await response.json()) as { result?: Record<string, unknown>; error?: { message: string } };
  };
}

const remove = (what: string) =>
  ({
    name: 'remove',
    description: `Removes ${what}`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    handler: async ({ context }: { context: { requestInput: (questions: object) => Promise<unknown> } }) => {
      const answers = await context.requestInput({
        sure: { message: `Remove ${what}?`, schema: z.object({ yes: z.boolean() }) },
      });
      return `${what} removed: ${JSON.stringify(answers)}`;
    },
  }) as never;

const longWork = {
  name: 'report',
  description: 'Works long',
  readOnly: true,
  task: {},
  inputSchema: { type: 'object' },
  handler: async () => 'secret of the report',
} as never;

const sessionContext: ToolsetConfig['sessionContext'] = {
  header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
  credentialKeys: ['accessToken'],
};
const tenant = (name: string) => ({
  'mcp-session-config': JSON.stringify({ accessToken: `token-of-${name}` }),
});

describe('answers to a question', () => {
  const config: ToolsetConfig = {
    catalog: {
      drafts: { name: 'Drafts', description: 'D', tools: [remove('a draft')] },
      accounts: { name: 'Accounts', description: 'A', tools: [remove('an account')] },
    },
    moduleLoaders: {},
    startup: { mode: 'DYNAMIC' },
    context: {},
    sessionContext,
    exposurePolicy: {},
  };
  const inputResponses = { sure: { action: 'accept', content: { yes: true } } };

  it('are not accepted for a tool of the same name in another toolset', async () => {
    const ask = await serve(config);
    const call = { name: 'remove', arguments: { id: '1' } };
    const asked = await ask('/x/drafts', 'tools/call', call);
    expect(asked.result?.['resultType']).toBe('input_required');
    const { requestState } = asked.result as unknown as { requestState: string };
    const again = await ask('/x/accounts', 'tools/call', { ...call, requestState, inputResponses });
    expect(JSON.stringify(again)).not.toContain('an account removed');
  });

  it('are not accepted from another tenant', async () => {
    const ask = await serve(config);
    const call = { name: 'remove', arguments: { id: '1' } };
    const asked = await ask('/x/drafts', 'tools/call', call, tenant('ada'));
    expect(asked.result?.['resultType']).toBe('input_required');
    const { requestState } = asked.result as unknown as { requestState: string };
    const again = await ask(
      '/x/drafts',
      'tools/call',
      { ...call, requestState, inputResponses },
      tenant('bob'),
    );
    expect(JSON.stringify(again)).not.toContain('removed');
  });
});

describe('a task', () => {
  const config: ToolsetConfig = {
    catalog: { r: { name: 'R', description: 'R', tools: [longWork] } },
    moduleLoaders: {},
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: { accessToken: 'token-of-the-server' },
    sessionContext,
    exposurePolicy: {},
  };
  it('does not exist for another tenant', async () => {
    const ask = await serve(config);
    const begun = await ask('', 'tools/call', { name: 'report', arguments: {} }, tenant('ada'));
    expect(begun.result?.['resultType']).toBe('task');
    const { taskId } = begun.result as unknown as { taskId: string };
    for (const headers of [tenant('bob'), {}])
      expect((await ask('', 'tasks/get', { taskId }, headers)).error).toBeDefined();
    expect((await ask('', 'tasks/get', { taskId }, tenant('ada'))).result?.['taskId']).toBe(taskId);
  });
});
