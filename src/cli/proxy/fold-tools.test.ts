import { describe, expect, it } from 'vitest';
import type { UpstreamToolDefinition } from '../../node.js';
import { foldTools } from './fold-tools.js';
import { assertChoice, selectTools } from '../target/select-tools.js';

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
const namesOf = (chosen: readonly UpstreamToolDefinition[]): string[] => chosen.map(({ name }) => name);

describe('the tools of a server, folded', () => {
  it('are the actions of one tool', async () => {
    const builder = foldTools('server', tools);
    expect(builder.getActionNames()).toEqual(['git_commit', 'git_log', 'read-file', 'status']);
    const result = await builder.execute({ action: 'git_commit', message: 'hello' });
    expect(result).toMatchObject({ content: [{ text: '{"message":"hello"}' }] });
  });

  it('are named by another argument where one of them has a field of that name', async () => {
    const builder = foldTools('server', [tool('a', ['action']), tool('b', ['operation'])]);
    expect(builder.buildToolDefinition().inputSchema['required']).toEqual(['tool_action']);
    const result = await builder.execute({ tool_action: 'a', action: 'mine' });
    expect(result).toMatchObject({ content: [{ text: '{"action":"mine"}' }] });
  });
});

describe('the tools that are chosen', () => {
  it.each([
    [{}, ['git_commit', 'git_log', 'read-file', 'status']],
    [{ toolsets: ['git'] }, ['git_commit', 'git_log']],
    [{ toolsets: ['git'], readOnly: true }, ['git_log']],
    [{ readOnly: true }, ['git_log', 'read-file']],
    [{ tools: ['status', 'git_log'] }, ['git_log', 'status']],
    [{ tools: ['status'], excludeTools: ['status'] }, []],
    [{ excludeTools: ['git_log'] }, ['git_commit', 'read-file', 'status']],
  ])('are what the command line says: %j', (choice, names) => {
    assertChoice(tools, choice);
    expect(namesOf(selectTools(tools, choice))).toEqual(names);
  });

  it.each([
    [{ tools: ['git_lgo'] }, 'The server has no tool "git_lgo". Did you mean "git_log"?'],
    [{ excludeTools: ['zzz'] }, 'There are: git_commit, git_log, read-file, status.'],
    [{ toolsets: ['zzz'] }, 'The server has no toolset "zzz". There are: git, read, status.'],
  ])('must be there: %j', (choice, message) => {
    expect(() => assertChoice(tools, choice)).toThrow(message);
  });
});
