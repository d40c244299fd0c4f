import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../test/api-server.js';
import { ErrInvalidOptions } from 'toolfold/errors';
import { fromOpenAPI } from '../from-openapi.js';

const swagger = (post: object, more: object = {}): object => ({
  swagger: '2.0',
  info: { title: 'Old', version: '1' },
  host: 'api.example.com',
  schemes: ['https'],
  paths: { '/a': { post } },
  ...more,
});

async function sentBy(
  spec: object,
  input: object,
): Promise<readonly [type: string | undefined, body: string]> {
  await using server = await ApiServer.start();
  const [builder] = fromOpenAPI(spec, { baseUrl: server.origin });
  const { isError, content } = await builder!.execute({ action: 'post', ...input });
  expect([isError, content]).toEqual([undefined, [{ type: 'text', text: '{"ok":true}' }]]);
  const { headers, body } = server.last;
  return [headers.find(([name]) => name === 'content-type')?.[1], body.toString()];
}

describe('an operation of Swagger 2.0', () => {
  it('has the body that it refers to', async () => {
    const spec = swagger(
      { parameters: [{ $ref: '#/parameters/Thing' }] },
      {
        parameters: {
          Thing: { name: 'thing', in: 'body', required: true, schema: { $ref: '#/definitions/Thing' } },
        },
        definitions: {
          Thing: {
            type: 'object',
            discriminator: 'kind',
            required: ['kind'],
            properties: { kind: { type: 'string' }, size: { type: 'integer', 'x-nullable': true } },
          },
        },
      },
    );
    expect(await sentBy(spec, { kind: 'box', size: null })).toEqual([
      'application/json',
      '{"kind":"box","size":null}',
    ]);
  });

  it('has the fields of a form that it refers to', async () => {
    const spec = swagger(
      { consumes: ['application/x-www-form-urlencoded'], parameters: [{ $ref: '#/parameters/name' }] },
      { parameters: { name: { name: 'name', in: 'formData', type: 'string' } } },
    );
    expect(await sentBy(spec, { name: 'a b' })).toEqual(['application/x-www-form-urlencoded', 'name=a%20b']);
  });

  it('joins the items of a list in a form with commas, unless it says otherwise', async () => {
    const list = { in: 'formData', type: 'array', items: { type: 'string' } };
    const parameters = [
      { ...list, name: 'a' },
      { ...list, name: 'b', collectionFormat: 'multi' },
    ];
    expect(await sentBy(swagger({ parameters }), { a: ['x', 'y'], b: ['x', 'y'] })).toEqual([
      'application/x-www-form-urlencoded',
      'a=x,y&b=x&b=y',
    ]);
  });

  it('sends a form without files as such if it names no media type', async () => {
    const parameters = [{ name: 'n', in: 'formData', type: 'string' }];
    const spec = swagger({ parameters }, { consumes: ['application/json'] });
    expect(await sentBy(spec, { n: '1' })).toEqual(['application/x-www-form-urlencoded', 'n=1']);
    const file = { name: 'f', in: 'formData', type: 'file' };
    const [type] = await sentBy(swagger({ parameters: [...parameters, file] }), { f: { text: 'x' } });
    expect(type).toContain('multipart/form-data');
  });
});

it('parameters that many operations refer to are copied within a limit', () => {
  const values = Array.from({ length: 50_000 }, (_, at) => `v${at}`);
  const parameters = { big: { name: 'big', in: 'body', schema: { type: 'string', enum: values } } };
  const post = { parameters: [{ $ref: '#/parameters/big' }] };
  const paths = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`/p${at}`, { post }]));
  expect(() => fromOpenAPI(swagger({}, { parameters, paths }))).toThrow(ErrInvalidOptions);
});
