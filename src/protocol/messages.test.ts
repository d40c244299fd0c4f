import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId, readMessages } from './messages.js';

const base = { jsonrpc: '2.0' };
const read = (body: object) => readMessages({ ...base, ...body })?.[0];

describe('a message', () => {
  it('is a request where it has an id and a method', () => {
    expect(read({ id: 1, method: 'm' })).toEqual({ kind: 'request', id: 1, method: 'm', params: {} });
    expect(read({ id: '', method: '', params: { a: 1 } })).toEqual({
      kind: 'request',
      id: '',
      method: '',
      params: { a: 1 },
    });
  });

  it('is a notification where it has a method and no id', () => {
    expect(read({ method: 'm', params: { a: 1 } })).toEqual({
      kind: 'notification',
      method: 'm',
      params: { a: 1 },
    });
  });

  it('is a response where it has a result or an error', () => {
    expect(read({ id: 1, result: {} })).toEqual({ kind: 'response', id: 1, result: {} });
    const error = { code: -1, message: 'no' };
    expect(read({ id: 'a', error })).toEqual({ kind: 'response', id: 'a', error });
    // One that could not even be read has no id.
    for (const id of [null, undefined])
      expect(read({ id, error })).toMatchObject({ kind: 'response', error });
  });

  it.each([
    [null],
    ['text'],
    [5],
    [true],
    [undefined],
    [{}],
    [{ id: 1, method: 'm' }],
    [{ jsonrpc: '1.0', id: 1, method: 'm' }],
    [{ jsonrpc: 2, id: 1, method: 'm' }],
    [{ ...base }],
    [{ ...base, id: 1 }],
    [{ ...base, id: null, method: 'm' }],
    [{ ...base, id: 1.5, method: 'm' }],
    [{ ...base, id: {}, method: 'm' }],
    [{ ...base, id: [1], method: 'm' }],
    [{ ...base, id: true, method: 'm' }],
    [{ ...base, id: 2 ** 53, method: 'm' }],
    [{ ...base, id: 1, method: 5 }],
    [{ ...base, id: 1, method: null }],
    [{ ...base, id: 1, method: null, result: {} }],
    [{ ...base, id: 1, method: 'm', params: [] }],
    [{ ...base, id: 1, method: 'm', params: null }],
    [{ ...base, id: 1, method: 'm', params: 'text' }],
    [{ ...base, method: 'm', params: [] }],
    [{ ...base, id: 1, result: 'text' }],
    [{ ...base, id: 1, result: null }],
    [{ ...base, id: null, result: {} }],
    [{ ...base, result: {} }],
    [{ ...base, id: 1, error: {} }],
    [{ ...base, id: 1, error: { code: '1', message: 'm' } }],
    [{ ...base, id: 1, error: { code: 1.5, message: 'm' } }],
    [{ ...base, id: 1, error: 'text' }],
    [[]],
    [[[]]],
    [[null]],
    [[{ ...base, id: 1, method: 'm' }, 5]],
  ])('is not %j', (body) => {
    expect(readMessages(body)).toBeUndefined();
  });

  it('is read or refused whatever it is, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(() => readMessages(body)).not.toThrow();
      }),
    );
    const member = fc.dictionary(
      fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(member, (body) => {
        const messages = readMessages({ ...body, ...base });
        for (const message of messages ?? [])
          expect(['request', 'notification', 'response']).toContain(message.kind);
      }),
    );
  });
});

describe('many messages in one body', () => {
  const ping = (id: number) => ({ ...base, id, method: 'ping' });

  it('are read in order, up to a hundred', () => {
    const hundred = Array.from({ length: 100 }, (_, id) => ping(id));
    expect(readMessages(hundred)?.map((message) => 'id' in message && message.id)).toEqual(
      hundred.map(({ id }) => id),
    );
    expect(readMessages([...hundred, ping(100)])).toBeUndefined();
  });
});

describe('an id', () => {
  it.each([0, -1, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, '', 'a', '__proto__'])(
    'is %j',
    (id) => {
      expect(isId(id)).toBe(true);
    },
  );

  it.each([2 ** 53, -(2 ** 53), 1e300, 0.1, NaN, Infinity, null, undefined, {}, [], true])(
    'is not %j',
    (id) => {
      expect(isId(id)).toBe(false);
    },
  );
});
