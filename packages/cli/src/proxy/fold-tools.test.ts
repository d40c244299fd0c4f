import { describe, expect, it } from 'vitest';
import type { UpstreamToolDefinition } from '@toolfold/gateway';
import { foldTools } from './fold-tools.js';

const tool = (
  name: string,
  fields: readonly string[] = [],
  readOnlyHint?: boolean,
): UpstreamToolDefinition => ({
  name,
  description: `Does ${name}`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  },
  metadata: { annotations: readOnlyHint === undefined ? {} : { readOnlyHint } },
  handler: ({ input }: { input: unknown }) => JSON.stringify(input),
});
const tools = [
  tool('git_commit', ['message'], false),
  tool('git_log', [], true),
  tool('read-file', ['path'], true),
  tool('status'),
];

describe('foldTools', () => {
  it('turns the tools of a server into the actions of one tool', async () => {
    const builder = foldTools('server', tools);
    expect(builder.getActionNames()).toEqual(['git_commit', 'git_log', 'read-file', 'status']);
    const result = await builder.execute({ action: 'git_commit', message: 'hello' });
    expect(result).toMatchObject({ content: [{ text: '{"message":"hello"}' }] });
  });

  it('renames the discriminator if a tool has a field of that name', async () => {
    const builder = foldTools('server', [tool('a', ['action']), tool('b', ['operation'])]);
    expect(builder.buildToolDefinition().inputSchema['required']).toEqual(['tool_action']);
    const result = await builder.execute({ tool_action: 'a', action: 'mine' });
    expect(result).toMatchObject({ content: [{ text: '{"action":"mine"}' }] });
  });
});
