import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from './exit-codes.js';
import { assertComplete, readFields } from './read-fields.js';

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
const read = (...words: string[]) => readFields(words, schema);

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
    [['text=a', 'text=b'], 'text is given twice, and takes text.'],
    [['list:=[1]', 'list:=[2]'], 'list is given twice.'],
    [['owner=Ada'], 'owner must be an object, not "Ada". Write owner.field=value or owner:=\'{…}\''],
    [['owner.nam=Ada'], 'There is no field "owner.nam". Did you mean "name"?'],
    [['text.a=1'], 'text takes text, and has no fields of its own.'],
    [['people.x.name=A'], 'people.x.name: "x" is no place in a list.'],
    [['txt=1'], 'There is no field "txt". Did you mean "text"?'],
    [['=1'], 'names no field'],
    [['owner:={'], 'owner:= needs JSON: '],
    [['txt=1', 'flag=2'], 'Several fields are wrong:\n  There is no field "txt".'],
  ])('are refused where they do not fit: %j', (words, message) => {
    expect(() => read(...words)).toThrow(UsageError);
    expect(() => read(...words)).toThrow(message);
  });

  it('come on top of what is there already, which stays as it is', () => {
    const base = { owner: { name: 'Ada' } };
    expect(readFields(['owner.age=1'], schema, base)).toEqual({ owner: { name: 'Ada', age: 1 } });
    expect(base).toEqual({ owner: { name: 'Ada' } });
  });

  it('may have any name where the schema names none', () => {
    expect(readFields(['a=1', 'b.c=2'], { type: 'object' })).toEqual({ a: '1', b: { c: '2' } });
    expect(() => readFields(['a=1'], { type: 'object', additionalProperties: false })).toThrow(
      'There are none.',
    );
  });

  it('cannot reach prototypes', () => {
    const values = readFields(['__proto__.polluted=1'], { type: 'object' });
    expect(Object.hasOwn(values, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('give back any text, number and JSON as it was written', () => {
    const word = fc.string().filter((text) => !text.startsWith('@'));
    const json = fc.json().map((text) => JSON.parse(text) as unknown);
    fc.assert(
      fc.property(word, fc.maxSafeInteger(), json, (text, whole, any) => {
        const words = [`text=${text}`, `whole=${whole}`, `any:=${JSON.stringify(any)}`];
        expect(read(...words)).toEqual({ text, whole, any });
      }),
    );
  });

  it('never fail otherwise than by saying what is wrong', () => {
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

  it('that are missing are told with what they are for', () => {
    const needed = {
      type: 'object',
      properties: { a: { type: 'integer', description: 'How many' }, b: { enum: ['x', 'y'] }, c: {} },
      required: ['a', 'b', 'c'],
    };
    expect(() => assertComplete({ c: 1 }, needed)).toThrow(
      new UsageError('Fields are missing:\n  a=<a whole number>  How many\n  b=<one of x, y>'),
    );
    assertComplete({ a: 1, b: 'x', c: undefined }, needed);
  });
});
