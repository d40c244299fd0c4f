import { describe, expect, it } from 'vitest';
import { completeResult } from './write-message.js';

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
