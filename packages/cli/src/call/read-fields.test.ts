import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '@toolfold/analysis/internal';
import { Terminal } from '../terminal/terminal.js';
import { assertComplete, parseAssignment, readAssignments, readFields } from './read-fields.js';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    number: { type: 'number' },
    flag: { type: 'boolean' },
    maybe: { type: ['string', 'null'] },
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    colour: { enum: ['red', 'green', 3, null] },
    fixed: { const: 'only' },
    list: { type: 'array', items: { type: 'integer' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    owner: { $ref: '#/$defs/person' },
    people: { type: 'array', items: { $ref: '#/$defs/person' } },
    'with.dot': { type: 'integer' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    any: {},
    counts: { type: 'object', additionalProperties: { type: 'integer' } },
    tags: { type: ['array', 'null'], items: { type: 'string' } },
    oneOrMore: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    shape: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } } },
        { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'integer' } } },
      ],
    },
    mixed: { allOf: [{ type: 'object', properties: { a: { type: 'integer' } } }] },
    choice: { oneOf: [{ type: 'object', properties: { kind: { const: 'x' } } }, { type: 'null' }] },
  },
  $defs: {
    person: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' }, boss: { $ref: '#/$defs/person' } },
      additionalProperties: false,
    },
  },
};
const toFields = (words: readonly string[]) => words.map((word) => parseAssignment(word));
const read = (...words: string[]) => readFields(toFields(words), schema);
const readWithFiles = async (...words: string[]) =>
  readFields(await readAssignments(words, new Terminal(process)), schema);

describe('fields of a command line', () => {
  it.each([
    [['text=5'], { text: '5' }],
    [['text='], { text: '' }],
    [['text=a=b'], { text: 'a=b' }],
    [['text=null'], { text: 'null' }],
    [['text=a: b'], { text: 'a: b' }],
    [['whole=-5'], { whole: -5 }],
    [['number=1e3'], { number: 1000 }],
    [['flag=false'], { flag: false }],
    [['maybe=null'], { maybe: null }],
    [['maybe:="null"'], { maybe: 'null' }],
    [['either=5'], { either: 5 }],
    [['either=x'], { either: 'x' }],
    [['colour=3'], { colour: 3 }],
    [['colour=null'], { colour: null }],
    [['fixed=only'], { fixed: 'only' }],
    [['list=1'], { list: [1] }],
    [['list=1', 'list=2'], { list: [1, 2] }],
    [['list=[1,2]'], { list: [1, 2] }],
    [['list:=[]'], { list: [] }],
    [['pair=a', 'pair=2'], { pair: ['a', 2] }],
    [
      ['owner.name=Ada', 'owner.age=36', 'owner.boss.name=B'],
      { owner: { name: 'Ada', age: 36, boss: { name: 'B' } } },
    ],
    [['owner={"name":"Ada"}', 'owner.age=1'], { owner: { name: 'Ada', age: 1 } }],
    [['people.0.name=A', 'people.1.name=B'], { people: [{ name: 'A' }, { name: 'B' }] }],
    [['with.dot=1'], { 'with.dot': 1 }],
    [['labels.x=1'], { labels: { x: '1' } }],
    [['any=5'], { any: '5' }],
    [['any:=5'], { any: 5 }],
    [['mixed.a=5'], { mixed: { a: 5 } }],
    [['choice.kind=x'], { choice: { kind: 'x' } }],
    [['choice=null'], { choice: null }],
    [['counts.x=1'], { counts: { x: 1 } }],
    [['tags=null'], { tags: null }],
    [['tags=a'], { tags: ['a'] }],
    [['oneOrMore=a'], { oneOrMore: 'a' }],
    [['oneOrMore=a', 'oneOrMore=b'], { oneOrMore: ['a', 'b'] }],
    [['shape.kind=square', 'shape.side=2'], { shape: { kind: 'square', side: 2 } }],
    [['either=007'], { either: '007' }],
    [['either=1.10'], { either: '1.10' }],
    [['either=0x10'], { either: '0x10' }],
    [['either=12345678901234567890'], { either: '12345678901234567890' }],
    [['number=.5'], { number: 0.5 }],
    [['text==b'], { text: '=b' }],
    [['people.1.name=B', 'people.0.name=A'], { people: [{ name: 'A' }, { name: 'B' }] }],
  ])('are typed by their schema: %j', (words, expected) => {
    expect(read(...words)).toEqual(expected);
  });

  it.each([
    [['whole=1.5'], 'whole must be a whole number, not "1.5"'],
    [['whole='], 'whole must be a whole number, not ""'],
    [['whole=99999999999999999999'], 'whole must be a whole number'],
    [['flag=yes'], 'flag must be true or false, not "yes"'],
    [['colour=gren'], 'colour must be one of red, green, 3, null. Did you mean "green"?'],
    [['fixed=other'], 'fixed must be only'],
    [['list=a'], 'list must be a whole number, not "a"'],
    [['text=a', 'text=b'], 'text is given twice, but takes only text.'],
    [['list:=[1]', 'list:=[2]'], 'list is given twice.'],
    [['owner=Ada'], 'owner must be an object, not "Ada". Write owner.field=value or owner:=\'{…}\''],
    [['owner.nam=Ada'], 'Unknown field "owner.nam". Did you mean "name"?'],
    [['text.a=1'], 'text takes text, which has no fields.'],
    [['people.x.name=A'], 'people.x.name: "x" is not the number of a list item.'],
    [['txt=1'], 'Unknown field "txt". Did you mean "text"?'],
    [['=1'], 'has no field name'],
    [['owner:='], 'owner:= must be valid JSON: '],
    [['number=12345678901234567890'], 'too large to be represented exactly'],
    [['number=0x10'], 'number must be a number, not "0x10"'],
    [['people.2.name=A'], 'people.0 is missing. List items are counted from 0.'],
    [['shape.kind=oval'], 'shape.kind must be one of circle, square'],
    [['owner:={'], 'owner:= must be valid JSON: '],
    [['txt=1', 'flag=2'], 'Several fields are invalid:\n  Unknown field "txt".'],
  ])('are rejected if they do not fit the schema: %j', (words, message) => {
    expect(() => read(...words)).toThrow(UsageError);
    expect(() => read(...words)).toThrow(message);
  });

  it.each([
    ['/dev/zero', 'text: the file "/dev/zero" has more than 64 MiB.'],
    ['/dev', 'text: the file "/dev" is a folder.'],
    ['/nowhere', 'text: the file "/nowhere" does not exist.'],
  ])('cannot be read from %s', async (path, message) => {
    await expect(readWithFiles(`text=@${path}`)).rejects.toThrow(UsageError);
    await expect(readWithFiles(`text=@${path}`)).rejects.toThrow(message);
  });

  it('are read from files as text or JSON, with or without a byte order mark', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-fields-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [marked, binary] = [join(folder, 'marked.json'), join(folder, 'binary')];
    writeFileSync(marked, '\uFEFF{"a":1}\n');
    writeFileSync(binary, Uint8Array.of(0xff, 0xfe, 0));
    expect(await readWithFiles(`any:=@${marked}`, `text=@${marked}`)).toEqual({
      any: { a: 1 },
      text: '\uFEFF{"a":1}\n',
    });
    await expect(readWithFiles(`text=@${binary}`)).rejects.toThrow(
      /text: the file ".*binary" is not UTF-8 text\./,
    );
  });

  it('override the given arguments without changing them', () => {
    const base = { owner: { name: 'Ada' } };
    expect(readFields(toFields(['owner.age=1']), schema, base)).toEqual({ owner: { name: 'Ada', age: 1 } });
    expect(base).toEqual({ owner: { name: 'Ada' } });
  });

  it('may have any name if the schema names none', () => {
    expect(readFields(toFields(['a=1', 'b.c=2']), { type: 'object' })).toEqual({ a: '1', b: { c: '2' } });
    expect(() => readFields(toFields(['a=1']), { type: 'object', additionalProperties: false })).toThrow(
      'None are available.',
    );
  });

  it('cannot reach prototypes', () => {
    const values = readFields(toFields(['__proto__.polluted=1']), { type: 'object' });
    expect(Object.hasOwn(values, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('keep any text, number and JSON unchanged', () => {
    const word = fc.string().filter((text) => !text.startsWith('@'));
    const json = fc.json().map((text) => JSON.parse(text) as unknown);
    fc.assert(
      fc.property(word, fc.maxSafeInteger(), json, (text, whole, any) => {
        const words = [`text=${text}`, `whole=${whole}`, `any:=${JSON.stringify(any)}`];
        expect(read(...words)).toEqual({ text, whole, any });
      }),
    );
  });

  it('fail only with a UsageError', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        try {
          read(...words);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });

  it('are read from a schema with circular and shared references', () => {
    const $defs: Record<string, unknown> = { end: { type: 'integer' } };
    for (let at = 0; at < 40; at++)
      $defs[`n${at}`] = {
        anyOf: [1, 2, 3].map(() => ({ $ref: `#/$defs/${at === 39 ? 'end' : `n${at + 1}`}` })),
      };
    $defs['self'] = { anyOf: Array.from({ length: 9 }, () => ({ $ref: '#/$defs/self' })) };
    $defs['lists'] = { type: 'array', items: { $ref: '#/$defs/lists' } };
    const properties = {
      deep: { $ref: '#/$defs/n0' },
      self: { $ref: '#/$defs/self' },
      lists: { $ref: '#/$defs/lists' },
    };
    const circular = { type: 'object', properties, $defs };
    expect(readFields(toFields(['deep=5', 'self=x']), circular)).toEqual({ deep: 5, self: 'x' });
    expect(() => assertComplete({}, { ...circular, required: ['lists'] })).toThrow('a list, each a list');
  });

  it('that are missing are listed on one line each, without control characters', () => {
    const properties = { 'a\u001b[2J': { type: 'string', description: 'x\u009b31m\nb=<fake>' } };
    expect(() => assertComplete({}, { type: 'object', properties, required: ['a\u001b[2J'] })).toThrow(
      new UsageError('A required field is missing:\n  a [2J=<text>  x 31m b=<fake>'),
    );
  });

  it('that are missing are listed with their descriptions', () => {
    const needed = {
      type: 'object',
      properties: { a: { type: 'integer', description: 'How many' }, b: { enum: ['x', 'y'] }, c: {} },
      required: ['a', 'b', 'c'],
    };
    expect(() => assertComplete({ c: 1 }, needed)).toThrow(
      new UsageError('Required fields are missing:\n  a=<a whole number>  How many\n  b=<one of x, y>'),
    );
    assertComplete({ a: 1, b: 'x', c: undefined }, needed);
  });
});
