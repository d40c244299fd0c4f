import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../test/api-server.js';
import { fromOpenAPI } from '../from-openapi.js';

const specification = (paths: object, more: object = {}): object => ({
  openapi: '3.0.3',
  info: { title: 'Bodies', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths,
  ...more,
});

async function sentBy(requestBody: object, input: object, more: object = {}): Promise<string> {
  await using server = await ApiServer.start();
  const [builder] = fromOpenAPI(specification({ '/a': { post: { requestBody } } }, more), {
    baseUrl: server.origin,
  });
  const { isError, content } = await builder!.execute({ action: 'post', ...input });
  expect([isError, content]).toEqual([undefined, [{ type: 'text', text: '{"ok":true}' }]]);
  return decodeURIComponent(server.last.body.toString());
}

const address = { type: 'object', properties: { city: { type: 'string' }, id: { type: 'string' } } };

describe('an object in a form', () => {
  const form = (encoding: object): object => ({
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { id: { type: 'string' }, address } },
        encoding,
      },
    },
  });
  const input = { id: '1', address: { city: 'Bonn', id: '2' } };

  it.each([
    [{}, 'id=1&address={"city":"Bonn","id":"2"}'],
    [{ address: { style: 'deepObject' } }, 'id=1&address[city]=Bonn&address[id]=2'],
    [
      { address: { style: 'deepObject', contentType: 'application/json' } },
      'id=1&address[city]=Bonn&address[id]=2',
    ],
    [{ address: { style: 'form', explode: false } }, 'id=1&address=city,Bonn,id,2'],
  ])('with the encoding %j is sent as %s', async (encoding, body) => {
    expect(await sentBy(form(encoding), input)).toBe(body);
  });
});

describe('the body of a GET request', () => {
  const json = { content: { 'application/json': { schema: address } } };

  it('is left out if it is optional, and otherwise the operation is not offered', () => {
    const skipped: string[] = [];
    const spec = specification({
      '/a': { get: { requestBody: json } },
      '/b': { get: { requestBody: { required: true, ...json } } },
    });
    const [builder, ...others] = fromOpenAPI(spec, {
      onSkipped: (operation, reason) => skipped.push(`${operation}: ${reason}`),
    });
    expect(others).toEqual([]);
    expect(Object.keys(builder!.buildToolDefinition().inputSchema['properties'] ?? {})).toEqual(['action']);
    expect(skipped).toEqual(['GET /b: it requires a body, which a GET request cannot have']);
  });
});

it('null is sent for everything that 3.0 calls nullable', async () => {
  const $ref = '#/components/schemas/Address';
  const properties = {
    text: { type: 'string', nullable: true },
    values: { type: 'string', nullable: true, enum: ['a', 'b'] },
    all: { nullable: true, allOf: [{ $ref }] },
    one: { nullable: true, oneOf: [{ $ref }, { type: 'string' }] },
    any: { nullable: true, anyOf: [{ $ref }] },
    typed: { type: 'object', nullable: true, oneOf: [{ $ref }] },
  };
  const input = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  const body = { content: { 'application/json': { schema: { type: 'object', properties } } } };
  const sent = await sentBy(body, input, { components: { schemas: { Address: address } } });
  expect(JSON.parse(sent)).toEqual(input);
});
