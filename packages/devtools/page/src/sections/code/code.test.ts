import { describe, expect, it } from 'vitest';
import { DeclarationIndex, literalsOf, sampleCall, sampleOf } from './declarations.js';
import { createExamples } from './examples.js';
import { readRun } from './read-run.js';

const field = (name: string, type = 'string', isRequired = true) => ({ name, type, isRequired });
const declare = (path: string, fields: ReturnType<typeof field>[] = [], description?: string) => ({
  path,
  address: path.replaceAll('.', '/'),
  signature: `tools.${path}()`,
  fields,
  description,
});

describe('the index of declarations', () => {
  it('has the names of each level with the number of functions below them', () => {
    const index = new DeclarationIndex([declare('a.b.c'), declare('a.b.d'), declare('a.b'), declare('e')]);
    expect(index.childrenOf('').map(({ name, size }) => [name, size])).toEqual([
      ['a', 3],
      ['e', 0],
    ]);
    expect(index.childrenOf('a')).toMatchObject([{ name: 'b', size: 2, declared: { path: 'a.b' } }]);
    expect(index.childrenOf('a.x')).toEqual([]);
  });

  it('finds functions by words of their path and description, those of the path first', () => {
    const index = new DeclarationIndex([
      declare('mail.send', [], 'Sends an order by mail'),
      declare('order.list'),
    ]);
    expect(index.search('ORDER').map(({ path }) => path)).toEqual(['order.list', 'mail.send']);
    expect(index.search('order mail').map(({ path }) => path)).toEqual(['mail.send']);
    expect(index.search('', 1)).toHaveLength(1);
    expect(index.search('nothing')).toEqual([]);
  });

  it('searches 10,000 functions', () => {
    const functions = Array.from({ length: 10_000 }, (_, at) => declare(`set${at % 100}.tool${at}`));
    const index = new DeclarationIndex(functions);
    expect(index.childrenOf('')).toHaveLength(100);
    expect(index.search('tool9999')).toHaveLength(1);
  });
});

describe('values of a type', () => {
  it('are the literals that it lists', () => {
    expect(literalsOf('"open" | "closed"')).toEqual(['"open"', '"closed"']);
    expect(literalsOf('"a|b" | 1 | true | null')).toEqual(['"a|b"', '1', 'true', 'null']);
    expect(literalsOf('boolean')).toEqual(['true', 'false']);
    expect(literalsOf('string | "a"')).toEqual([]);
    expect(literalsOf('')).toEqual([]);
  });

  it('have samples for examples', () => {
    expect(['string', 'number', 'string[]', '{ a: 1 }', '"x" | "y"', 'boolean | null'].map(sampleOf)).toEqual(
      ["''", '1', '[]', '{}', '"x"', 'true'],
    );
    expect(
      sampleCall(declare('a.b', [field('id'), field('od-d', 'number'), field('z', 'string', false)])),
    ).toBe('await tools.a.b({ id: \'\', "od-d": 1 })');
  });
});

describe('the examples', () => {
  it('begin with functions that read and need few arguments', () => {
    const examples = createExamples([declare('a.drop'), declare('a.list', [field('x')]), declare('a.get')]);
    expect(examples[0]?.code).toContain('await tools.a.get()');
    expect(examples.find(({ title }) => title.includes('same time'))?.code).toContain(
      "  tools.a.get(),\n  tools.a.list({ x: '' }),",
    );
  });

  it('are none without functions', () => {
    expect(createExamples([])).toEqual([]);
  });
});

describe('the result of a run', () => {
  const text = (...texts: string[]) => ({ content: texts.map((each) => ({ type: 'text', text: each })) });
  const meta = { _meta: { 'toolfold/run': { id: 'r1', calls: 2 } } };

  it('is a value, and the lines that were logged after it', () => {
    expect(readRun({ ...text('[1,2]', 'Logs:\none\ntwo'), ...meta })).toMatchObject({
      run: 'r1',
      made: 2,
      value: { json: [1, 2] },
      logs: ['one', 'two'],
    });
    expect(readRun(text('just text')).value).toEqual({ text: 'just text' });
    expect(
      readRun(text('The code returned no value. Write `return value` to return one.')).value,
    ).toBeUndefined();
    expect(readRun(text('Logs:\none'))).toMatchObject({ value: undefined, logs: ['one'] });
  });

  it('lists the planned calls of a dry run', () => {
    const report = readRun(
      text('{"dryRun":true}', 'Calls of this dry run:\n1 to 2. a/list: ok\n3. a/drop({"x":"): y"}): planned'),
    );
    expect(report.value).toEqual({ json: { dryRun: true } });
    expect(report.calls).toEqual([
      { id: '1 to 2', address: 'a/list', outcome: 'ok', input: undefined, message: undefined },
      { id: '3', address: 'a/drop', outcome: 'planned', input: '{"x":"): y"}', message: undefined },
    ]);
  });

  it('keeps images and other content', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    expect(readRun({ content: [image] })).toMatchObject({ blocks: [image], value: undefined });
  });

  it('has the place of an error, the calls and the logs', () => {
    const report = readRun({
      ...text('TypeError: no (line 4, column 8)\n\nCalls made:\n1. a: ok\n\nLogs:\n2 orders'),
      isError: true,
      _meta: {
        ...meta._meta,
        'toolfold/error': {
          code: 'ErrCodeFailed',
          message: 'TypeError: no (line 4, column 8)',
          suggestions: ['Check it.'],
          details: { line: 4, column: 8, calls: [{ id: 1, address: 'a', outcome: 'ok', ms: 3 }] },
        },
      },
    });
    expect(report.problem).toEqual({
      message: 'TypeError: no (line 4, column 8)',
      advice: ['Check it.'],
      code: 'ErrCodeFailed',
      line: 4,
      column: 8,
    });
    expect(report.logs).toEqual(['2 orders']);
    expect(report.calls).toMatchObject([{ id: '1', address: 'a', outcome: 'ok', ms: 3 }]);
  });

  it('may be anything, because any server may have sent it', () => {
    expect(readRun({})).toMatchObject({ value: undefined, calls: [], logs: [], blocks: [] });
    expect(readRun({ content: [null, 7, { type: 'text' }], isError: true, _meta: [] }).problem?.message).toBe(
      'The run failed.',
    );
    expect(
      readRun({ isError: true, _meta: { 'toolfold/error': { details: { calls: [1, {}] } } } }).calls,
    ).toEqual([{ id: '', address: '', outcome: '', ms: undefined, message: undefined, input: undefined }]);
  });
});
