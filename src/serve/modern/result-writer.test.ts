import { describe, expect, it } from 'vitest';
import { ResultWriter } from './result-writer.js';

const writer = new ResultWriter({ name: 'test', version: '1.0.0' });
const read = ({ body }: { readonly body: string }): { result: object } =>
  JSON.parse(body) as { result: object };

describe('a written result', () => {
  it('has its type and the name of the server', () => {
    expect(read(writer.writePlain(1, { content: [] }))).toMatchObject({
      id: 1,
      result: {
        content: [],
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
      },
    });
  });

  it.each([
    ['empty', {}],
    ['text by its toJSON', { content: [], toJSON: () => 'text' }],
    ['a list by its toJSON', { content: [], toJSON: () => [1] }],
  ])('is valid JSON if it is %s', (_, result) => {
    expect(read(writer.writePlain('a', result)).result).toMatchObject({ resultType: 'complete' });
  });
});
