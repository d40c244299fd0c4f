import { describe, expect, it } from 'vitest';
import { loadSavedList } from './saved-registry.js';
import { openSavedList } from '../target/saved-list.js';
import { readDocuments, readSearchedActions } from '@toolfold/analysis/internal';

describe('The searched texts of a saved list', () => {
  it('are those of the same tools in the page, also if their titles are annotations', async () => {
    const file = 'test/data/servers/notion-2.5.2.json';
    const options = { terminal: { notify: () => {} } } as never;
    const { loaded } = await loadSavedList(file, options);
    const inPage = await readDocuments({ searchedActions: () => readSearchedActions(loaded), tools: [] });
    const listed = await readDocuments(await openSavedList(file, options));
    const textsOf = ({ documents }: typeof listed) =>
      documents.map(({ address, description, arguments: fields }) => ({ address, description, fields }));
    expect(textsOf(listed)).toEqual(textsOf(inPage));
  });
});
