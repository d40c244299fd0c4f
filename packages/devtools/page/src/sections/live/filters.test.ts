import { describe, expect, it } from 'vitest';
import type { LiveCall } from '../../../../src/page-events.js';
import { createCallFilter, noFilters, readFilters, writeFilters } from './filters.js';
import type { LiveFilters } from './filters.js';
import { ownArguments, parseArguments } from './parse-arguments.js';

const call: LiveCall = {
  id: 1,
  at: 0,
  address: 'shop/orders.refund',
  caller: 'ada',
  client: 'cursor 1.0',
  ms: 40,
  outcome: 'ErrToolFailed',
  isError: true,
  message: 'The order is gone.',
  tokens: 5,
  steps: [],
};

const passes = (filters: Partial<LiveFilters>, changed: Partial<LiveCall> = {}): boolean =>
  createCallFilter({ ...noFilters, ...filters })?.({ ...call, ...changed }) ?? true;

describe('the filters of calls', () => {
  it('find text in the address, the message, the caller and the client, whatever its case', () => {
    expect(['ORDERS', 'gone', 'Ada', 'cursor'].map((text) => passes({ text }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(passes({ text: 'paris' })).toBe(false);
  });

  it('find prompts and resources by the name of their group of errors, and no tool of the same name', () => {
    const prompt = { kind: 'prompt', address: 'welcome' } as const;
    expect(passes({ tool: 'prompt welcome' }, prompt)).toBe(true);
    expect(passes({ tool: 'welcome' }, prompt)).toBe(false);
    expect(passes({ text: 'prompt' }, prompt)).toBe(true);
  });

  it('tell answers, errors and questions apart', () => {
    const question = { isError: false, outcome: 'input_required' };
    expect(passes({ outcome: 'error' })).toBe(true);
    expect(passes({ outcome: 'ok' })).toBe(false);
    expect(passes({ outcome: 'questions' }, question)).toBe(true);
    expect(passes({ outcome: 'ok' }, question)).toBe(false);
    expect(passes({ outcome: 'ok' }, { isError: false, outcome: 'task' })).toBe(true);
  });

  it('accept the actions of a tool, but no tool whose name only begins like it', () => {
    expect(passes({ tool: 'shop' })).toBe(true);
    expect(passes({ tool: 'shop/orders.refund' })).toBe(true);
    expect(passes({ tool: 'sho' })).toBe(false);
  });

  it('leave out calls that are faster than the least duration', () => {
    expect(passes({ minimum: 40 })).toBe(true);
    expect(passes({ minimum: 41 })).toBe(false);
  });

  it('need no test if they filter nothing', () => {
    expect(createCallFilter({ ...noFilters, text: '  ', tab: 'tools' })).toBeUndefined();
  });
});

describe('the route of the filters', () => {
  it('is read as it was written', () => {
    const filters: LiveFilters = {
      tab: 'errors',
      text: 'a&b=c %',
      outcome: 'error',
      tool: 'shop/x',
      minimum: 250,
    };
    expect(readFilters(writeFilters(filters))).toEqual(filters);
    expect(writeFilters(noFilters)).toBe('');
  });

  it('has the defaults in place of values that make no sense', () => {
    expect(readFilters('tab=nope&outcome=nope&min=-4&more=1')).toEqual(noFilters);
    expect(readFilters('min=abc').minimum).toBe(0);
  });
});

describe('the arguments of a call', () => {
  it('are formatted if they are JSON, and shown as they are if the server cut them', () => {
    expect(parseArguments('{"a":1}')).toEqual({ text: '{\n  "a": 1\n}', value: { a: 1 }, isCut: false });
    expect(parseArguments('{"a":"long…')).toEqual({ text: '{"a":"long…', value: undefined, isCut: true });
    expect(parseArguments('{}')).toEqual({ text: undefined, value: {}, isCut: false });
    expect(parseArguments(undefined)).toEqual({ text: undefined, value: {}, isCut: false });
    expect(parseArguments('[1]').value).toBeUndefined();
  });

  it('lose the name of the action and the wrapper of the search form before they are tried again', () => {
    expect(ownArguments({ action: 'list', a: 1 }, 'shop/list', 'action')).toEqual({ a: 1 });
    expect(ownArguments({ address: 'shop/list', arguments: { a: 1 } }, 'shop/list', 'action')).toEqual({
      a: 1,
    });
    expect(ownArguments({ address: 'Main Street', a: 1 }, 'shop/list', undefined)).toEqual({
      address: 'Main Street',
      a: 1,
    });
  });
});
