import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolSearch, type ToolSearchDocument } from './tool-search.js';

const office: ToolSearchDocument[] = [
  {
    address: 'calendar.create',
    name: 'create_event',
    description: 'Schedules a meeting.',
    toolset: 'Calendar',
  },
  { address: 'mail.send', name: 'sendMessage', description: 'Sends an email to a recipient.' },
  { address: 'mail.delete', name: 'delete_message', description: 'Deletes an email.' },
  {
    address: 'cars.rent',
    name: 'rent',
    description: 'Rents a vehicle.',
    arguments: [{ name: 'pickupAirport' }],
  },
  { address: 'weather', name: 'forecast', description: 'Tells whether it will rain.', tags: ['umbrella'] },
];

const words = [
  'send',
  'email',
  'the',
  'meeting',
  'car',
  'airport',
  'rain',
  'mesage',
  'zzyzx',
  'umbrella',
  'deletes',
];

describe('an explanation', () => {
  it('counts a tool that has a word among its keywords or examples, and counts it once', () => {
    const search = createToolSearch([
      { address: 'a', name: 'appointment', keywords: ['checkup', 'visit'], examples: ['a visit'] },
      { address: 'b', name: 'visit_page' },
    ]);
    const { words: read } = search.explain('checkup visit');
    expect(read.map(({ written, tools }) => [written, tools])).toEqual([
      ['checkup', 1],
      ['visit', 2],
    ]);
  });

  it('names the word, the term, the field and the kind of each match', () => {
    const { words: read, tools } = createToolSearch(office).explain('Is the umbrella for the airport?', {
      limit: 2,
    });
    expect(
      read.map(({ written, stems, isStopWord, tools: holders }) => [written, stems, isStopWord, holders]),
    ).toEqual([
      ['Is', [], true, 0],
      ['the', [], true, 0],
      ['umbrella', ['umbrella'], false, 1],
      ['for', [], true, 0],
      ['the', [], true, 0],
      ['airport', ['airport'], false, 1],
    ]);
    expect(tools.flatMap(({ matches }) => matches)).toContainEqual(
      expect.objectContaining({ stem: 'airport', term: 'airport', fields: ['arguments'], how: 'same' }),
    );
  });

  it('explains tools that are asked for and are not found', () => {
    const search = createToolSearch(office);
    const { tools } = search.explain('delete the email', {
      limit: 1,
      addresses: ['mail.send', 'weather', 'no.tool'],
    });
    expect(tools.map(({ address, isFound, missed }) => [address, isFound, missed])).toEqual([
      ['mail.delete', true, undefined],
      ['mail.send', false, 'outweighed'],
      ['weather', false, 'no shared word'],
    ]);
  });

  it('has the places and scores of the search, and parts that add up to them', () => {
    const search = createToolSearch(office);
    const query = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((all) => all.join(' '));
    fc.assert(
      fc.property(query, fc.integer({ min: 1, max: 6 }), (text, limit) => {
        const { tools, refused } = search.explain(text, {
          limit,
          addresses: office.map(({ address }) => address),
        });
        const found = tools.filter(({ isFound }) => isFound);
        expect(found.map(({ address, score, confidence }) => ({ address, score, confidence }))).toEqual(
          search.search(text, { limit }),
        );
        if (!refused) expect(found.map(({ place }) => place)).toEqual(found.map((_, at) => at + 1));
        for (const { sum, parts, matches } of tools) {
          const add = (all: readonly { readonly amount: number }[]): number =>
            all.reduce((total, { amount }) => total + amount, 0);
          expect(add(parts)).toBeCloseTo(sum, 5);
          expect(add(matches)).toBeCloseTo(parts.find(({ part }) => part === 'words')?.amount ?? 0, 5);
        }
      }),
    );
  });
});
