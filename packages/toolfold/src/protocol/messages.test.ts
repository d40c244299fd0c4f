import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInvalidParam, idInText, isId, readMessages } from './messages.js';

const base = { jsonrpc: '2.0' };
const read = (body: object) => readMessages({ ...base, ...body })?.[0];

describe('a message', () => {
  it('is a request if it has an id and a method', () => {
    expect(read({ id: 1, method: 'm' })).toEqual({ kind: 'request', id: 1, method: 'm', params: {} });
    expect(read({ id: '', method: '', params: { a: 1 } })).toEqual({
      kind: 'request',
      id: '',
      method: '',
      params: { a: 1 },
    });
  });

  it('is a notification if it has a method and no id', () => {
    expect(read({ method: 'm', params: { a: 1 } })).toEqual({
      kind: 'notification',
      method: 'm',
      params: { a: 1 },
    });
  });

  it('is a response if it has a result or an error', () => {
    expect(read({ id: 1, result: {} })).toEqual({ kind: 'response', id: 1, result: {} });
    const error = { code: -1, message: 'no' };
    expect(read({ id: 'a', error })).toEqual({ kind: 'response', id: 'a', error });
    // The response to an unparsable request has no id.
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

  it('of any kind is parsed or rejected, and never throws', () => {
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

describe('a batch of messages', () => {
  const ping = (id: number) => ({ ...base, id, method: 'ping' });

  it('is parsed in order, up to a hundred messages', () => {
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

const clientInfo = { name: 'c', version: '1' };
const prompt = { type: 'ref/prompt', name: 'p' };
const argument = { name: 'a', value: '' };

describe('the parameters of a method', () => {
  it.each([
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }],
    ['initialize', { protocolVersion: '', capabilities: {}, clientInfo: { ...clientInfo, title: 5 } }],
    ['ping', {}],
    ['ping', { anything: 1 }],
    ['logging/setLevel', { level: 'debug' }],
    ['tools/list', {}],
    ['tools/list', { cursor: '' }],
    ['tools/call', { name: 'a' }],
    ['tools/call', { name: '', arguments: { a: [] }, inputResponses: {}, requestState: '' }],
    ['tools/call', { name: 'a', task: { ttl: 1 } }],
    ['prompts/get', { name: 'a', arguments: { b: 'c' } }],
    ['resources/read', { uri: 'memo://1' }],
    ['resources/subscribe', { uri: '' }],
    ['completion/complete', { ref: prompt, argument }],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'u' }, argument, context: { arguments: { x: 'y' } } },
    ],
    ['completion/complete', { ref: prompt, argument, context: {} }],
    ['tasks/get', { taskId: 'a' }],
    ['tasks/update', { taskId: 'a', inputResponses: {} }],
    ['unknown', { anything: 1 }],
    ['tools/list', { _meta: {} }],
    ['tools/list', { _meta: { progressToken: 1 } }],
    ['tools/list', { _meta: { progressToken: '' } }],
  ])('of %s may be %j', (method, params) => {
    expect(findInvalidParam(method, params)).toBeUndefined();
  });

  it.each([
    ['initialize', {}, 'protocolVersion'],
    ['initialize', { protocolVersion: 5, capabilities: {}, clientInfo }, 'protocolVersion'],
    ['initialize', { protocolVersion: '1', capabilities: [], clientInfo }, 'capabilities'],
    ['initialize', { protocolVersion: '1', clientInfo }, 'capabilities'],
    ['initialize', { protocolVersion: '1', capabilities: {}, clientInfo: { name: 'c' } }, 'clientInfo'],
    ['initialize', { protocolVersion: '1', capabilities: {} }, 'clientInfo'],
    ['logging/setLevel', {}, 'level'],
    ['logging/setLevel', { level: 'loud' }, 'level'],
    ['tools/list', { cursor: null }, 'cursor'],
    ['tools/list', { cursor: 5 }, 'cursor'],
    ['tools/call', {}, 'name'],
    ['tools/call', { name: null }, 'name'],
    ['tools/call', { name: 'a', arguments: null }, 'arguments'],
    ['tools/call', { name: 'a', arguments: [] }, 'arguments'],
    ['tools/call', { name: 'a', arguments: 'text' }, 'arguments'],
    ['tools/call', { name: 'a', inputResponses: [] }, 'inputResponses'],
    ['tools/call', { name: 'a', requestState: 5 }, 'requestState'],
    ['tools/call', { name: 'a', requestState: null }, 'requestState'],
    ['prompts/get', { name: 'a', arguments: { b: 5 } }, 'arguments'],
    ['resources/read', { uri: [] }, 'uri'],
    ['resources/unsubscribe', {}, 'uri'],
    ['completion/complete', { argument }, 'ref'],
    ['completion/complete', { ref: { type: 'ref/other' }, argument }, 'ref'],
    ['completion/complete', { ref: { type: 'ref/prompt' }, argument }, 'ref'],
    ['completion/complete', { ref: { type: 'ref/resource', name: 'a' }, argument }, 'ref'],
    ['completion/complete', { ref: prompt, argument: { name: 'a' } }, 'argument'],
    ['completion/complete', { ref: prompt, argument, context: { arguments: { x: 5 } } }, 'context'],
    ['tasks/get', {}, 'taskId'],
    ['tasks/update', { taskId: 'a', inputResponses: 'x' }, 'inputResponses'],
    ['tools/list', { _meta: null }, '_meta'],
    ['tools/list', { _meta: [] }, '_meta'],
    ['tools/list', { _meta: { progressToken: 1.5 } }, '_meta.progressToken'],
    ['tools/list', { _meta: { progressToken: null } }, '_meta.progressToken'],
    ['unknown', { _meta: 5 }, '_meta'],
  ])('of %s must not be %j', (method, params, wrong) => {
    expect(findInvalidParam(method, params)).toBe(wrong);
  });

  it('of initialize have a size limit, because they are stored for each client', () => {
    const opened = (fields: object): unknown =>
      findInvalidParam('initialize', { protocolVersion: '1', capabilities: {}, clientInfo, ...fields });
    expect(opened({ capabilities: { a: 'x'.repeat(16_000) } })).toBeUndefined();
    expect(opened({ capabilities: { a: 'x'.repeat(17_000) } })).toBe('capabilities');
    expect(opened({ clientInfo: { ...clientInfo, name: 'x'.repeat(1_000) } })).toBeUndefined();
    expect(opened({ clientInfo: { ...clientInfo, name: 'x'.repeat(1_001) } })).toBe('clientInfo');
    expect(opened({ clientInfo: { ...clientInfo, version: 'x'.repeat(1_001) } })).toBe('clientInfo');
    // Fields that are not stored have no size limit.
    expect(opened({ clientInfo: { ...clientInfo, icons: ['x'.repeat(100_000)] } })).toBeUndefined();
  });

  it('are only own properties, not inherited ones', () => {
    const inherited = Object.create({ name: 'a' }) as Record<string, unknown>;
    expect(findInvalidParam('tools/call', inherited)).toBe('name');
    const proto = JSON.parse('{"__proto__":{"name":"a"}}') as Record<string, unknown>;
    expect(findInvalidParam('tools/call', proto)).toBe('name');
    for (const method of ['__proto__', 'constructor', 'toString'])
      expect(findInvalidParam(method, {})).toBeUndefined();
  });

  it('of any kind are checked without an exception', () => {
    const method = fc.constantFrom(
      'initialize',
      'tools/call',
      'completion/complete',
      'prompts/get',
      'tasks/update',
    );
    const params = fc.dictionary(
      fc.constantFrom('name', 'arguments', 'ref', 'argument', 'context', '_meta', 'taskId', 'clientInfo'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(method, params, (each, given) => {
        const wrong = findInvalidParam(each, given);
        expect(wrong === undefined || typeof wrong === 'string').toBe(true);
      }),
    );
  });
});

describe('the id of a message that is not parsed', () => {
  it('is read if it is the first or the last member', () => {
    expect(idInText('{"id":7,"result":[[[')).toBe(7);
    expect(idInText('{"jsonrpc":"2.0","id":"a","result":[[[')).toBe('a');
    expect(idInText('[[[,"jsonrpc":"2.0","id":7}\n')).toBe(7);
    expect(idInText('{"result":[[[')).toBeUndefined();
    expect(idInText('{"id":90071992547409930,"result":[[[')).toBeUndefined();
  });

  it('may have characters that JSON does not allow', () => {
    expect(idInText('{"id":"\u0001","result":[[[')).toBe('\u0001');
  });
});
