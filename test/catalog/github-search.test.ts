import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { githubToolsets } from './github-toolsets.js';
import { githubTools } from './github.js';

interface Answer {
  readonly tools: readonly {
    readonly query?: number;
    readonly address: string;
    readonly signature: string;
  }[];
  readonly more?: number;
  readonly unmatched?: readonly string[];
  readonly next?: string;
  readonly toolsets?: readonly { readonly key: string; readonly tools: number }[];
}

const registry = new ToolRegistry({ name: 'github', rateLimiter: false });
const exposure = new Exposure(registry, { toolsets: githubToolsets('STATIC'), view: { form: 'search' } });

async function search(args: Record<string, unknown>): Promise<Answer> {
  const call = { name: 'search_tools', arguments: args };
  const { structuredContent, isError } = await registry.executeTool(call, await exposure.viewFor({}));
  expect(isError).toBeUndefined();
  return structuredContent as Answer;
}

describe('a search over 117 real tools', () => {
  it('returns no tool for a question about something else, and names its words and the toolsets', async () => {
    const { tools, unmatched, next, toolsets = [] } = await search({ query: 'Book a flight to Paris' });
    expect(tools).toEqual([]);
    expect(next).toMatch(/^No tool matches\./);
    expect(unmatched).toEqual(expect.arrayContaining(['flight', 'Paris']));
    expect(toolsets).toHaveLength(9);
    expect(toolsets.reduce((sum, each) => sum + each.tools, 0)).toBe(githubTools.length);
  });

  it('answers the steps that it can, and says which it cannot', async () => {
    const queries = ['merge a pull request', 'book a flight to Paris', 'list the branches of a repository'];
    const { tools, next } = await search({ queries, limit: 6 });
    const bestOf = (query: number) => tools.find((row) => row.query === query)?.address;
    expect([1, 2, 3].map(bestOf)).toEqual(['merge_pull_request', undefined, 'list_branches']);
    expect(next).toContain('No tool matches query 2.');
  });

  it('shows signatures from which three of four tools can be called without their schema', async () => {
    const signatures: string[] = [];
    for (const { name } of githubTools) {
      const { tools } = await search({ query: name, limit: 1 });
      const [row] = tools;
      expect(row?.address).toBe(name);
      signatures.push(row?.signature ?? '');
    }
    for (const [at, { inputSchema }] of githubTools.entries())
      for (const field of (inputSchema['required'] as string[] | undefined) ?? [])
        expect(signatures[at]).toContain(`${field}: `);
    expect(signatures.every(({ length }) => length <= 200)).toBe(true);
    const whole = signatures.filter((signature) => !signature.includes('…'));
    expect(whole.length).toBeGreaterThan(0.75 * githubTools.length);
  });
});
