import { describe, expect, it } from 'vitest';
import { assertChoice, selectTools } from './find-tool.js';

const tool = (name: string, readOnlyHint?: boolean) => ({
  name,
  metadata: { annotations: readOnlyHint === undefined ? {} : { readOnlyHint } },
});
const tools = [tool('git_commit', false), tool('git_log', true), tool('read-file', true), tool('status')];

describe('selectTools', () => {
  it.each([
    [{}, ['git_commit', 'git_log', 'read-file', 'status']],
    [{ toolsets: ['git'] }, ['git_commit', 'git_log']],
    [{ toolsets: ['git'], readOnly: true }, ['git_log']],
    [{ toolsets: ['status'] }, ['status']],
    [{ readOnly: true }, ['git_log', 'read-file']],
    [{ tools: ['status', 'git_log'] }, ['git_log', 'status']],
    [{ tools: ['status'], excludeTools: ['status'] }, []],
    [{ excludeTools: ['git_log'] }, ['git_commit', 'read-file', 'status']],
  ])('selects tools by toolset, name and annotation: %j', (choice, names) => {
    assertChoice(tools, choice);
    expect(selectTools(tools, choice).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    [{ tools: ['git_lgo'] }, 'The server has no tool "git_lgo". Did you mean "git_log"?'],
    [{ excludeTools: ['zzz'] }, 'Available: git_commit, git_log, read-file, status.'],
    [{ toolsets: ['zzz'] }, 'The server has no toolset "zzz". Available: git, read, status.'],
  ])('rejects names that the server does not have: %j', (choice, message) => {
    expect(() => assertChoice(tools, choice)).toThrow(message);
  });
});
