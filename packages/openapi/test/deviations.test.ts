import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromOpenAPI } from '@toolfold/openapi';
import { fitOutput } from '../src/send/fit-output.js';
import type { CallToolResult } from 'toolfold';
import { ApiServer } from './api-server.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'number' } } } },
    owner: {
      oneOf: [
        { type: 'object', properties: { login: { type: 'string' } } },
        { type: 'array', items: { type: 'string' } },
      ],
    },
  },
};

async function answerWith(
  body: string,
  mediaType: string | undefined,
  status = 200,
): Promise<CallToolResult> {
  server.answer = (_, response) =>
    void response.writeHead(status, mediaType === undefined ? {} : { 'content-type': mediaType }).end(body);
  const responses = { 200: { description: '', content: { 'application/json': { schema } } } };
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/things': { post: { operationId: 'make', responses } } },
  };
  const [builder] = fromOpenAPI(spec, { baseUrl: server.origin });
  return (await builder!.execute({ action: 'make' })) as CallToolResult;
}

const textsOf = ({ content }: CallToolResult): string[] =>
  content.map((block) => (block.type === 'text' ? block.text : block.type));

describe('an answer that differs from the specification', () => {
  it.each([
    ['{"id":"5","name":"x"}', 'id', { name: 'x' }],
    [
      '{"id":5,"parts":[{"size":1},{"size":"2"},"three"]}',
      'parts.1.size, parts.2',
      { id: 5, parts: [{ size: 1 }, {}, null] },
    ],
    ['{"id":5,"owner":"me"}', 'owner', { id: 5 }],
    ['[1]', 'its root', {}],
    ['"done"', 'its root', {}],
    ['null', 'its root', {}],
  ])('does not fail the call: %s', async (body, places, structuredContent) => {
    const result = await answerWith(body, 'application/json');
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toEqual(structuredContent);
    expect(textsOf(result)).toEqual([
      body,
      `The answer differs from the specification of the API at ${places}. The structured content leaves these parts out.`,
    ]);
  });

  it('is shown as it is if it fits', async () => {
    const body = '{"id":5,"more":true,"owner":["me"]}';
    const result = await answerWith(body, 'application/json');
    expect(result).toEqual({
      content: [{ type: 'text', text: body }],
      structuredContent: { id: 5, more: true, owner: ['me'] },
    });
  });

  it.each([
    ['hello', 'text/plain', 200, 'hello'],
    ['', undefined, 204, 'Done. The API answered 204 No Content without a body.'],
  ])('is content if it is no JSON', async (body, mediaType, status, text) => {
    const result = await answerWith(body, mediaType, status);
    expect(result).toEqual({ content: [{ type: 'text', text }], structuredContent: {} });
  });

  it('is compared in bounded time, whatever the alternatives of the schema are', () => {
    const root = { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: {} };
    const branch = { type: 'object', properties: { a: { $ref: '#/$defs/A' } } };
    Object.assign(root.$defs, { A: { anyOf: [branch, branch, branch] } });
    let value: object = { a: 5 };
    for (let depth = 0; depth < 60; depth++) value = { a: value };
    expect(fitOutput(value, root)).toBe(value);
  });
});
