import { describe, expect, it } from 'vitest';
import { fuseRanker, type Ranker, createToolSearch } from './tool-search.js';

const search = createToolSearch([
  { address: 'cars', name: 'rent_car', description: 'Rents a car.' },
  { address: 'boats', name: 'rent_boat', description: 'Rents a boat.' },
  { address: 'poems', name: 'write_poem', description: 'Writes a poem.' },
]);
const rankAs = (...addresses: string[]): Ranker => ({ rank: () => addresses });

describe('a search joined with a ranker', () => {
  it('ranks the tools first that both rank first, and returns the tools that either found', async () => {
    const results = await fuseRanker(search, rankAs('cars', 'poems')).search('rent a car');
    expect(results[0]).toMatchObject({ address: 'cars', score: 1 });
    expect(results.map(({ address }) => address).toSorted()).toEqual(['boats', 'cars', 'poems']);
  });

  it('finds tools through the ranker that share no word with the query', async () => {
    const results = await fuseRanker(search, rankAs('poems')).search('qqqq');
    expect(results).toMatchObject([{ address: 'poems', score: 0.5 }]);
  });

  it('returns each tool once, and no unknown ones', async () => {
    const ranker = rankAs('gone', 'poems', 'poems', '__proto__', 'cars');
    const results = await fuseRanker(search, ranker).search('qqqq');
    expect(results.map(({ address }) => address)).toEqual(['poems', 'cars']);
  });

  it('orders equal ranks by address', async () => {
    const own = search.search('rent', { limit: 2 }).map(({ address }) => address);
    const results = await fuseRanker(search, rankAs(...own.toReversed())).search('rent', { limit: 2 });
    expect(results[0]?.score).toBe(results[1]?.score);
    expect(results.map(({ address }) => address)).toEqual(['boats', 'cars']);
  });

  it('passes query, depth and signal on, awaits the ranker, and respects the limit', async () => {
    const { signal } = new AbortController();
    const seen: unknown[] = [];
    const ranker: Ranker = {
      async rank(...asked) {
        seen.push(asked);
        return ['poems', 'boats'];
      },
    };
    const results = await fuseRanker(search, ranker).search('a car', { limit: 1, signal });
    expect(results).toHaveLength(1);
    expect(seen).toEqual([['a car', { limit: 3, signal }]]);
    expect(await fuseRanker(search, ranker).search('a car', { limit: 0 })).toEqual([]);
  });

  it('fails if the ranker fails', async () => {
    const ranker: Ranker = { rank: () => Promise.reject(new Error('no model')) };
    await expect(fuseRanker(search, ranker).search('a car')).rejects.toThrow('no model');
  });
});
