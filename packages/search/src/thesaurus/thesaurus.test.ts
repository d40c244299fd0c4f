import { describe, expect, it } from 'vitest';
import { stemWord } from '../index/stem.js';
import { createToolSearch } from '../index/tool-search.js';
import { thesaurusData } from './thesaurus-data.js';
import { createThesaurus } from './thesaurus.js';

const tools = [
  { address: 'a', name: 'delete_branch', description: 'Deletes a branch.' },
  { address: 'b', name: 'list_branches', description: 'Lists branches.' },
  { address: 'c', name: 'merge_branch', description: 'Merges a branch.' },
];

describe('the thesaurus', () => {
  it('has the words of all groups of a word, and not the word', () => {
    const find = createThesaurus(stemWord);
    expect(find('delet').has(stemWord('remove'))).toBe(true);
    expect(find('delet').has('delet')).toBe(false);
    expect(find('zzyzx').size).toBe(0);
    for (const name of ['constructor', '__proto__', '']) expect(find(name).size).toBe(0);
  });

  it('has at most 15 kB of lower-case words', () => {
    expect(thesaurusData.length).toBeLessThan(15_000);
    for (const group of thesaurusData.split(';')) expect(group).toMatch(/^[a-z]+(?: [a-z]+)+$/);
  });

  it('finds tools by synonyms, which count less than the words of a tool and than keywords', () => {
    expect(createToolSearch(tools).search('erase')[0]?.address).toBe('a');
    const both = [...tools, { address: 'd', name: 'eraser', description: 'Draws.', keywords: ['erase'] }];
    expect(createToolSearch(both).search('erase')[0]?.address).toBe('d');
  });

  it('is named in explanations', () => {
    const { tools: explained } = createToolSearch(tools).explain('erase the branch', { limit: 1 });
    expect(explained[0]?.matches).toContainEqual(
      expect.objectContaining({ stem: 'eras', term: 'delet', how: 'alike' }),
    );
  });
});
