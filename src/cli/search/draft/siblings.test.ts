import { describe, expect, it } from 'vitest';
import type { SearchWords } from '../../../index.js';
import { describeSiblings } from './draft-changes.js';
import type { DraftedTool } from './drafted-tools.js';
import { findSiblings } from './siblings.js';

const tool = (address: string, description: string): DraftedTool => ({
  address,
  name: address,
  description,
  arguments: [],
});
const keywords = [
  'bug',
  'ticket',
  'defect',
  'fault',
  'report',
  'tracker',
  'backlog',
  'triage',
  'complaint',
  'problem',
  'case',
];
const wordsFrom =
  (words: Readonly<Record<string, SearchWords>>) =>
  (address: string): SearchWords | undefined =>
    words[address];
const none = wordsFrom({});

describe('siblings', () => {
  const tools = [
    tool('issue_read', 'Gets an issue'),
    tool('issue_find', 'Searches for an issue'),
    tool('repo_delete', 'Deletes a repository'),
  ];

  it('are reported if keywords make them alike, with the shares before and after and the shared words', () => {
    const after = wordsFrom({
      issue_read: { keywords },
      issue_find: { keywords },
      repo_delete: { keywords: ['drop'] },
    });
    const [pair, ...others] = findSiblings(tools, none, after);
    expect(others).toEqual([]);
    expect(pair).toMatchObject({ addresses: ['issue_read', 'issue_find'], shared: keywords });
    expect(pair?.after).toBeGreaterThan(pair?.before ?? 1);
    expect(describeSiblings([pair as NonNullable<typeof pair>])).toEqual([
      expect.stringMatching(
        /^"issue_read" and "issue_find" now share \d+ % of their words \(\d+ % before\): bug, ticket, .*\. Give each/,
      ),
    ]);
  });

  it('are not reported if each has words of its own', () => {
    const after = wordsFrom({
      issue_read: { keywords: [...keywords.slice(0, 2), 'view', 'open', 'show', 'details'] },
      issue_find: { keywords: [...keywords.slice(0, 2), 'fetch', 'download', 'raw', 'export'] },
    });
    expect(findSiblings(tools, none, after)).toEqual([]);
  });

  it('are not reported if the keywords did not change', () => {
    const same = wordsFrom({ issue_read: { keywords }, issue_find: { keywords } });
    expect(findSiblings(tools, same, same)).toEqual([]);
  });

  it('are found among thousands of tools with the same keywords in bounded time', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => tool(`t${at}`, 'Does something'));
    expect(findSiblings(many, none, () => ({ keywords }))).toEqual([]);
    const pairs = many.map(
      ({ address }, at) => [address, { keywords: [`w${at >> 1}`, ...keywords] }] as const,
    );
    const found = findSiblings(many, none, wordsFrom(Object.fromEntries(pairs)));
    expect(found).toHaveLength(2_500);
    expect(describeSiblings(found)).toHaveLength(11);
  });
});
