import { describe, expect, it } from 'vitest';
import { completeResult, createResultWriter } from './write-message.js';

const server = { name: 'test', version: '1.0.0' };

describe('a complete result', () => {
  it('has its type and the name of the server', () => {
    expect(completeResult({ content: [] }, server)).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': server },
    });
  });

  it.each([
    ['empty', {}],
    ['text by its toJSON', { content: [], toJSON: () => 'text' }],
    ['a list by its toJSON', { content: [], toJSON: () => [1] }],
  ])('is an object if the given one is %s', (_, result) => {
    expect(JSON.parse(JSON.stringify(completeResult(result, server)))).toMatchObject({
      resultType: 'complete',
    });
  });
});

describe('the writer of results', () => {
  const errors: unknown[] = [];
  const write = createResultWriter(server, (error) => errors.push(error));

  it.each([
    ['plain', { content: [{ type: 'text', text: '"}' }], structuredContent: { a: [1] } }],
    ['an error', { content: [], isError: true }],
    ['labelled', { content: [], _meta: { own: 1 } }],
    ['a question', { resultType: 'input_required', inputRequests: {} }],
    ['empty', {}],
    ['written by its toJSON', { content: [], toJSON: () => ({ a: 1 }) }],
    ['no error', { content: [], isError: false }],
  ])('writes a result that is %s like JSON does', (_, result) => {
    const complete = completeResult(result, server);
    expect(write('7', result)).toBe(JSON.stringify({ jsonrpc: '2.0', id: '7', result: complete }));
  });

  it('reports a result that JSON cannot represent', () => {
    expect(write(1, { content: [1n] })).toContain('"code":-32603');
    expect(errors).toHaveLength(1);
  });
});
