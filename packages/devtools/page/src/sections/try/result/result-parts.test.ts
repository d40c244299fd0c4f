import { describe, expect, it } from 'vitest';
import { readJson } from '../../../mcp/wire/exact-json.js';
import { isMistake, reportOf } from './error-report.js';
import { cellText, partsOf, sortRows, tableOf } from './result-parts.js';

const kindsOf = (result: Readonly<Record<string, unknown>>): string[] =>
  partsOf(result).map(({ kind }) => kind);

describe('the parts of a result', () => {
  it('leave out the text that repeats the structured content', () => {
    const structuredContent = { a: [1, 2] };
    const text = { type: 'text', text: JSON.stringify(structuredContent) };
    expect(kindsOf({ structuredContent, content: [text] })).toEqual(['data']);
    expect(kindsOf({ structuredContent, content: [text, { type: 'text', text: 'more' }] })).toEqual([
      'data',
      'text',
    ]);
  });

  it('are shown only as what the type of their bytes says', () => {
    const image = (mimeType: string) => ({ type: 'image', data: 'aGk=', mimeType });
    expect(
      kindsOf({ content: [image('image/png'), image('text/html'), image('image/png"><script>')] }),
    ).toEqual(['image', 'blob', 'blob']);
    // Browsers show such types as documents.
    expect(kindsOf({ content: [image('image/x+xml'), image('image/SVG+xml')] })).toEqual(['blob', 'image']);
    expect(kindsOf({ content: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/x+xml' }] })).toEqual([
      'blob',
    ]);
    expect(kindsOf({ content: [{ type: 'audio', data: 'aGk=', mimeType: 'image/png' }] })).toEqual(['blob']);
  });

  it('may be resources, links, or anything else', () => {
    expect(
      partsOf({
        content: [
          { type: 'resource', resource: { uri: 'a://b', text: '{"a":1}' } },
          { type: 'resource_link', uri: 'javascript:alert(1)', name: 'x' },
          { type: 'hologram' },
          null,
        ],
      }),
    ).toMatchObject([
      { kind: 'resource', contents: { kind: 'data', value: { a: 1 } } },
      { kind: 'link', uri: 'javascript:alert(1)' },
      { kind: 'unknown' },
      { kind: 'unknown' },
    ]);
    expect(kindsOf({ contents: [{ uri: 'a://b', blob: 'aGk=', mimeType: 'image/png' }] })).toEqual([
      'resource',
    ]);
  });
});

describe('a table', () => {
  it('is a list of objects, or the only list of an object with the properties beside it', () => {
    const rows = [{ a: 1 }, { a: 2, b: 'x' }];
    expect(tableOf(rows)).toEqual({ columns: ['a', 'b'], rows });
    expect(tableOf({ total: 2, rows, note: {} })).toEqual({
      columns: ['a', 'b'],
      rows,
      property: 'rows',
      others: [
        ['total', 2],
        ['note', {}],
      ],
    });
    expect(tableOf({ rows, others: [1] })).toBeUndefined();
    expect(tableOf([{ a: 1 }, 2])).toBeUndefined();
    expect(tableOf([])).toBeUndefined();
  });

  it('has nested values as compact JSON, by which they are sorted', () => {
    const rows = [{ a: { b: 2 } }, { a: { b: 1 } }];
    expect(tableOf(rows)).toEqual({ columns: ['a'], rows });
    expect(sortRows(rows, 'a', false).map(({ a }) => cellText(a))).toEqual(['{"b":1}', '{"b":2}']);
    expect([true, null, 1.5, 'x'].map(cellText)).toEqual(['true', 'null', '1.5', 'x']);
  });

  it('sorts numbers by size, texts by letters, and puts missing values last', () => {
    const rows = [{ a: 10 }, {}, { a: 9 }, { a: null }];
    expect(sortRows(rows, 'a', false)).toEqual([{ a: 9 }, { a: 10 }, {}, { a: null }]);
    expect(sortRows(rows, 'a', true).slice(0, 2)).toEqual([{ a: 10 }, { a: 9 }]);
  });
});

describe('numbers with more digits than JavaScript keeps', () => {
  const id = (last: string) => `1234567890123456789${last}`;
  const text = `[{"id":${id('2')}},{"id":${id('0')}},{"id":5},{"id":${id('1')}}]`;

  it('are cells of a table, and are sorted by their digits', () => {
    const [part] = partsOf({ content: [{ type: 'text', text }] });
    const table = part?.kind === 'data' ? tableOf(part.value) : undefined;
    const sorted = sortRows(table?.rows ?? [], 'id', false).map((row) => String(row['id']));
    expect(sorted).toEqual(['5', id('0'), id('1'), id('2')]);
    expect(sortRows(table?.rows ?? [], 'id', true).map((row) => String(row['id']))).toEqual(
      sorted.toReversed(),
    );
  });

  it('tell structured content from a text that differs in the last digit', () => {
    const structuredContent: unknown = readJson(text);
    const kinds = (other: string): string[] =>
      kindsOf({ structuredContent, content: [{ type: 'text', text: other }] });
    expect(kinds(text)).toEqual(['data']);
    expect(kinds(text.replace(id('1'), id('3')))).toEqual(['data', 'data']);
  });
});

describe('the report of an error', () => {
  it('has the scopes, the time and the fields that the server names', () => {
    const details = {
      required: ['a:b'],
      retryAfterMs: 1_500,
      issues: [{ path: ['list', 0], message: 'is wrong' }, 'nonsense'],
    };
    const _meta = {
      'toolfold/error': { code: 'ErrX', message: 'Wrong.', suggestions: ['Do this', 5], details },
    };
    expect(reportOf({ isError: true, content: [], _meta })).toEqual({
      code: 'ErrX',
      message: 'Wrong.',
      suggestions: ['Do this'],
      scopes: ['a:b'],
      retryAfterMs: 1_500,
      problems: [{ path: ['list', 0], message: 'is wrong' }],
      details,
    });
  });

  it('has no suggestion that is the end of its message', () => {
    const error = { message: 'No such order. List the orders.', suggestions: ['List the orders.', 'Wait.'] };
    const report = reportOf({ isError: true, content: [], _meta: { 'toolfold/error': error } });
    expect(report?.suggestions).toEqual(['Wait.']);
  });

  it('opens the stack of mistakes, but not of errors that are thrown on purpose', () => {
    for (const name of ['Error', 'TypeError']) expect(isMistake(`${name}: x\n    at y`)).toBe(true);
    for (const name of ['ErrInvalidTool', 'AccountFrozen', 'ErrorOfOurs'])
      expect(isMistake(`${name}: x\n    at y`)).toBe(false);
  });

  it('is the text of servers that report nothing else', () => {
    expect(reportOf({ isError: true, content: [{ type: 'text', text: 'No.' }] })?.message).toBe('No.');
    expect(reportOf({ content: [] })).toBeUndefined();
  });
});
