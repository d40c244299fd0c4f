import { describe, expect, it, vi } from 'vitest';
import { readJson } from '../../../mcp/wire/exact-json.js';
import { compare } from './compare.js';
import type { HistoryEntry } from './history.js';

describe('two calls', () => {
  it('are compared place by place', () => {
    expect(compare({ a: 1, b: [1, 2], c: {} }, { a: 1, b: [1, 3, 4], d: null })).toEqual([
      { path: ['b', 1], before: 2, after: 3 },
      { path: ['b', 2], before: undefined, after: 4 },
      { path: ['c'], before: {}, after: undefined },
      { path: ['d'], before: undefined, after: null },
    ]);
    expect(compare({ a: [1] }, { a: [1] })).toEqual([]);
    const one = readJson('{"id":12345678901234567890}');
    expect(compare(one, readJson('{"id":12345678901234567890}'))).toEqual([]);
    expect(compare(one, readJson('{"id":12345678901234567891}'))).toMatchObject([{ path: ['id'] }]);
  });
});

describe('the history', () => {
  it('keeps the newest calls that fit, and drops results that are too large', async () => {
    const stored = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
    const { clearHistory, fit, history, remember } = await import('./history.js');
    const call = {
      address: 'a',
      input: {},
      result: { text: 'x'.repeat(300_000) },
    } as unknown as HistoryEntry['call'];
    clearHistory();
    for (let at = 0; at < 60; at++) remember({ at, ms: 1, status: 'ok', summary: '', call });
    expect(history.value).toHaveLength(50);
    expect(history.value[0]).toMatchObject({ at: 59, id: 60 });
    expect(history.value[0]?.call.result).toBeUndefined();
    const large = history.value.map((entry) => ({ ...entry, summary: 'x'.repeat(100_000) }));
    expect(fit(large).length).toBeLessThan(16);
    expect(JSON.parse(stored.get('toolfold-history') ?? '')).toHaveLength(50);
    vi.unstubAllGlobals();
  });

  it('keeps all digits of a result when the page is loaded again', async () => {
    const text = '{"id":12345678901234567890}';
    const stored = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
    vi.resetModules();
    const exactJson = await import('../../../mcp/wire/exact-json.js');
    const { remember } = await import('./history.js');
    remember({
      at: 1,
      status: 'ok',
      summary: '',
      call: { address: 'a', input: {}, result: exactJson.readJson(text) } as HistoryEntry['call'],
    });
    expect(stored.get('toolfold-history')).toContain(text);
    vi.resetModules();
    const { history } = await import('./history.js');
    const { writeJson: write } = await import('../../../ui/json/exact-number.js');
    expect(write(history.value[0]?.call.result)).toBe(text);
    vi.unstubAllGlobals();
  });
});
