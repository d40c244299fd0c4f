import { describe, expect, it } from 'vitest';
import { ApiServer, answerJson, headerOf } from '../test/api-server.js';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { ErrInvalidOptions, ErrModuleFailed } from 'toolfold/errors';
import { fromOpenAPI } from './from-openapi.js';
import type { FromOpenAPIOptions } from './options.js';

const specification = (paths: object, more: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'Museum', version: '1' },
  servers: [{ url: 'https://api.museum.example/v1' }],
  paths,
  ...more,
});
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const inputOf = (spec: object, options: FromOpenAPIOptions = {}): Record<string, unknown> => {
  const [builder] = fromOpenAPI(spec, options);
  const { properties, required, $defs } = builder!.compile().spec.actions[0]!.input.jsonSchema;
  return { properties, ...(required ? { required } : {}), ...($defs ? { $defs } : {}) };
};
const fieldsOf = (operation: object, path = '/things/{id}'): Record<string, object> =>
  inputOf(specification({ [path]: { post: operation } }))['properties'] as Record<string, object>;
const actionsOf = (spec: object | string, options: FromOpenAPIOptions = {}): string[] =>
  fromOpenAPI(spec, options).flatMap((builder) =>
    builder.getActionNames().map((name) => `${builder.name}.${name}`),
  );
const parameter = (name: string, place: string, more: object = {}): object => ({
  name,
  in: place,
  schema: { type: 'string' },
  ...more,
});

describe('the flat input', () => {
  it('has a field for each parameter and for each property of the body', () => {
    const input = inputOf(
      specification({
        '/tickets/{id}': {
          parameters: [parameter('id', 'path', { description: 'The ticket.' })],
          put: {
            parameters: [parameter('dry-run', 'query', { schema: { type: 'boolean', default: false } })],
            requestBody: {
              required: true,
              ...json({
                type: 'object',
                required: ['email'],
                properties: {
                  email: { type: 'string', format: 'email' },
                  count: { type: 'integer', format: 'int32' },
                },
              }),
            },
          },
        },
      }),
    );
    expect(input).toEqual({
      properties: {
        id: { type: 'string', description: 'The ticket.' },
        'dry-run': { type: 'boolean', default: false },
        email: { type: 'string', format: 'email' },
        count: { type: 'integer' },
      },
      required: ['id', 'email'],
    });
  });

  it('keeps the name of a path parameter, and appends the place to the same name elsewhere', () => {
    const fields = fieldsOf({
      parameters: [parameter('id', 'query'), parameter('id', 'header'), parameter('id', 'cookie')],
      requestBody: json({ type: 'object', properties: { id: {}, action: { type: 'string' } } }),
    });
    expect(Object.keys(fields)).toEqual([
      'id',
      'id_query',
      'id_header',
      'id_cookie',
      'id_body',
      'action_body',
    ]);
  });

  it('replaces characters that clients reject', () => {
    const fields = fieldsOf({
      parameters: [
        parameter('filter[name]', 'query'),
        parameter('filter_name', 'query'),
        parameter('$top', 'query'),
        parameter('X-Trace', 'header'),
      ],
    });
    expect(Object.keys(fields)).toEqual(['id', 'filter_name_query', 'filter_name', 'top', 'X-Trace']);
  });

  it('leaves out reserved headers, API keys, and optional deprecated parameters', () => {
    const spec = specification(
      {
        '/a': {
          get: {
            parameters: [
              parameter('Accept', 'header'),
              parameter('content-type', 'header'),
              parameter('Authorization', 'header'),
              parameter('x-key', 'header', { required: true }),
              parameter('old', 'query', { deprecated: true }),
              parameter('older', 'query', { deprecated: true, required: true }),
            ],
          },
        },
      },
      {
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
    );
    expect(inputOf(spec)).toEqual({ properties: { older: { type: 'string' } }, required: ['older'] });
  });

  it('has one field for a body that is no object, has alternatives, or takes any property', () => {
    const bodies = [
      { type: 'array', items: { type: 'string' } },
      {
        oneOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { b: {} } },
        ],
      },
      { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
      { type: 'object' },
    ];
    for (const schema of bodies)
      expect(Object.keys(fieldsOf({ requestBody: json(schema) }))).toContain('body');
  });

  it('leaves alternatives that only require other properties to the API', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(Object.keys(fieldsOf({ requestBody: json(schema) }))).toEqual(['id', 'a', 'b']);
  });

  it('has no readOnly properties, also not among the required ones', () => {
    const schema = {
      type: 'object',
      required: ['id', 'name', 'made'],
      properties: {
        name: { type: 'string' },
        made: { type: 'string', readOnly: true },
        nested: {
          type: 'object',
          required: ['x'],
          properties: { x: { readOnly: true }, y: { type: 'string' } },
        },
      },
    };
    expect(inputOf(specification({ '/a': { post: { requestBody: json(schema) } } }))).toEqual({
      properties: {
        name: { type: 'string' },
        nested: { type: 'object', properties: { y: { type: 'string' } } },
      },
      required: ['name'],
    });
  });

  it('merges allOf, and describes a discriminator by constants', () => {
    const schemas = {
      Pet: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string' }, name: { type: 'string' } },
      },
      Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { lives: { type: 'integer' } } }] },
      Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { bark: { type: 'boolean' } } }] },
      Any: {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
      },
    };
    const spec = (name: string): object =>
      specification(
        { '/a': { post: { requestBody: json({ $ref: `#/components/schemas/${name}` }) } } },
        { components: { schemas } },
      );
    expect(inputOf(spec('Cat'))).toEqual({
      properties: { kind: { type: 'string' }, name: { type: 'string' }, lives: { type: 'integer' } },
      required: ['kind'],
    });
    const { body } = inputOf(spec('Any'))['properties'] as { body: { anyOf: object[] } };
    expect(body.anyOf).toEqual([
      {
        type: 'object',
        properties: {
          kind: { type: 'string', const: 'cat' },
          name: { type: 'string' },
          lives: { type: 'integer' },
        },
        required: ['kind'],
      },
      {
        type: 'object',
        properties: {
          kind: { type: 'string', const: 'Dog' },
          name: { type: 'string' },
          bark: { type: 'boolean' },
        },
        required: ['kind'],
      },
    ]);
  });

  it('keeps circular schemas as definitions', async () => {
    const Node = {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } },
      required: ['name'],
    };
    const spec = specification(
      {
        '/a': {
          post: {
            requestBody: json({
              type: 'object',
              properties: { node: { $ref: '#/components/schemas/Node' } },
            }),
          },
        },
      },
      { components: { schemas: { Node } } },
    );
    expect(inputOf(spec)).toEqual({
      properties: { node: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: {
          type: 'object',
          properties: { name: { type: 'string' }, next: { $ref: '#/$defs/Node' } },
          required: ['name'],
        },
      },
    });
    const [builder] = fromOpenAPI(spec);
    const { content } = await builder!.execute({ action: 'post', node: { name: 'a', next: { next: {} } } });
    expect(JSON.stringify(content)).toContain('node.next.name');
  });

  it('leaves deep parts out of a schema that is too large', () => {
    const level = (depth: number): object => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 5 }, (_, at) => [
          `property_${at}`,
          depth === 0 ? { type: 'string', description: 'A text of some length.' } : level(depth - 1),
        ]),
      ),
    });
    const spec = specification({ '/a': { post: { requestBody: json(level(5)) } } });
    const size = JSON.stringify(inputOf(spec)).length;
    expect(size).toBeLessThan(9_000);
    expect(size).toBeGreaterThan(1_000);
    expect(JSON.stringify(inputOf(spec, { maxSchema: 1_000 })).length).toBeLessThan(1_100);
  });

  describe('of an operation with many fields', () => {
    const description = 'Says at some length what this field means, and which values it takes. '.repeat(3);
    const wide = (count: number, required = 2): object =>
      specification({
        '/a/{id}': {
          post: {
            parameters: Array.from({ length: count }, (_, at) =>
              parameter(`parameter_${at}`, 'query', { description, required: at >= count - required }),
            ),
            requestBody: json({
              type: 'object',
              properties: Object.fromEntries(
                Array.from({ length: count }, (_, at) => [
                  `property_${at}`,
                  { description, enum: ['a', 'b', 'c'], type: ['string', 'null'] },
                ]),
              ),
            }),
          },
        },
      });
    const sizeOf = (spec: object, options?: FromOpenAPIOptions) => {
      const registry = new ToolRegistry().register(...fromOpenAPI(spec, options));
      return JSON.stringify(registry.view({ form: 'flat' }).listTools()[0]?.inputSchema).length;
    };

    it.each([
      [20, 8_000, 41],
      [60, 8_000, 121],
      [400, 8_000, 100],
      [400, 2_000, 30],
      [20, 800, 12],
    ])('keeps to maxSchema: %d fields of each kind in %d characters', (count, maxSchema, atLeast) => {
      expect(sizeOf(wide(count), { maxSchema })).toBeLessThanOrEqual(maxSchema);
      const { properties, required } = inputOf(wide(count), { maxSchema });
      expect(Object.keys(properties as object).length).toBeGreaterThanOrEqual(atLeast);
      const last = [`parameter_${count - 2}`, `parameter_${count - 1}`];
      expect(required).toEqual(['id', ...last]);
      expect(properties).toMatchObject({ id: { type: 'string' }, [last[1] as string]: { type: 'string' } });
    });

    it('cannot be offered if its required fields alone are larger', () => {
      const skipped: string[] = [];
      const onSkipped = (operation: string, reason: string): void =>
        void skipped.push(`${operation}: ${reason}`);
      expect(actionsOf(wide(400, 400), { onSkipped })).toEqual([]);
      expect(skipped).toEqual([
        'POST /a/{id}: it has required fields that take more than 8000 characters. Raise maxSchema',
      ]);
    });

    it('still sends the fields that are left', async () => {
      await using server = await ApiServer.start();
      const [builder] = fromOpenAPI(wide(400), { baseUrl: server.origin });
      const input = { id: 'x', parameter_398: 'p', parameter_399: 'q', parameter_0: 'first' };
      expect((await builder!.execute({ action: 'post_by_id', ...input })).isError).not.toBe(true);
      expect(server.last.target).toBe('/a/x?parameter_0=first&parameter_398=p&parameter_399=q');
    });
  });

  it('describes files of a multipart body, of 3.0 and of 3.1', () => {
    const properties = {
      photo: { type: 'string', format: 'binary', description: 'A picture.' },
      more: { type: 'array', items: { type: 'string', format: 'binary' } },
      note: { type: 'string' },
    };
    const body = { content: { 'multipart/form-data': { schema: { type: 'object', properties } } } };
    for (const openapi of ['3.0.3', '3.1.0']) {
      const spec = specification({ '/a': { post: { requestBody: body } } }, { openapi });
      const fields = inputOf(spec)['properties'] as Record<string, { properties?: object; items?: object }>;
      expect(Object.keys(fields['photo']!.properties!)).toEqual(['base64', 'text', 'fileName', 'mediaType']);
      expect(fields['photo']).toMatchObject({ description: 'A picture. A file: base64 or text.' });
      expect(fields['more']!.items).toMatchObject({ properties: { base64: {} } });
      expect(fields['note']).toEqual({ type: 'string' });
    }
  });

  it('reads nullable, exclusive bounds and examples of 3.0', () => {
    const properties = {
      size: { type: 'number', nullable: true, minimum: 0, exclusiveMinimum: true },
      code: { type: 'string', example: 'AB-1' },
    };
    const spec = specification(
      { '/a': { post: { requestBody: json({ type: 'object', properties }) } } },
      { openapi: '3.0.0' },
    );
    expect(inputOf(spec)['properties']).toEqual({
      size: { type: ['number', 'null'], exclusiveMinimum: 0 },
      code: { type: 'string', examples: ['AB-1'] },
    });
  });

  it('reads Swagger 2.0', () => {
    const spec = {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'api.example.com',
      basePath: '/v2',
      schemes: ['http', 'https'],
      paths: {
        '/pets/{id}': {
          post: {
            tags: ['pets'],
            operationId: 'updatePet',
            parameters: [
              { name: 'id', in: 'path', type: 'integer', required: true },
              {
                name: 'tags',
                in: 'query',
                type: 'array',
                items: { type: 'string' },
                collectionFormat: 'multi',
              },
              { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
            ],
          },
        },
      },
      definitions: { Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    };
    expect(actionsOf(spec)).toEqual(['pets.update']);
    expect(inputOf(spec)).toEqual({
      properties: {
        id: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
      },
      required: ['id', 'name'],
    });
  });

  it('reads YAML like JSON', () => {
    const yaml = `
openapi: 3.1
servers: [{ url: https://api.example.com }]
paths:
  /events:
    get: { tags: [Events], operationId: listEvents, responses: { 200: { description: OK } } }
`;
    expect(actionsOf(yaml)).toEqual(['events.list']);
  });
});

describe('an action', () => {
  const metadataOf = (method: string) =>
    fromOpenAPI(specification({ '/a': { [method]: {} } }))[0]!.getActionMetadata()[0]!;

  it.each([
    ['get', { readOnly: true, destructive: undefined, idempotent: undefined }],
    ['head', { readOnly: true, destructive: undefined, idempotent: undefined }],
    ['put', { readOnly: false, destructive: undefined, idempotent: true }],
    ['delete', { readOnly: false, destructive: true, idempotent: true }],
    ['post', { readOnly: false, destructive: undefined, idempotent: undefined }],
    ['patch', { readOnly: false, destructive: undefined, idempotent: undefined }],
  ])('has the hints of its method: %s', (method, hints) => {
    expect(metadataOf(method)).toMatchObject({ ...hints, openWorld: true });
  });

  it('has a short description without Markdown', () => {
    const description = `# Heading\n\nGets [the **events**](https://x.example) of a <b>museum</b>.\n\n| a | b |\n\n${'More text. '.repeat(100)}`;
    const spec = specification({ '/a': { get: { summary: 'List events', description, deprecated: true } } });
    const [{ description: text = '' } = {}] = fromOpenAPI(spec)[0]!.getActionMetadata();
    expect(text).toMatch(/^Deprecated\. List events\. Gets the events of a museum\. More text\./);
    expect(text.length).toBeLessThan(320);
    expect(fromOpenAPI(specification({ '/a': { get: {} } }))[0]!.getActionMetadata()[0]!.description).toBe(
      'GET /a',
    );
  });

  it('needs the OAuth scopes of its security requirement, unless the option says otherwise', () => {
    const spec = specification(
      {
        '/a': { get: {} },
        '/b': { get: { security: [] } },
        '/c': { get: { security: [{ key: [] }, { oauth: ['c'] }] } },
      },
      {
        security: [{ oauth: ['read:a', 'read:b'] }],
        components: {
          securitySchemes: {
            oauth: { type: 'oauth2', flows: {} },
            key: { type: 'apiKey', in: 'query', name: 'key' },
          },
        },
      },
    );
    const scopesOf = (options: FromOpenAPIOptions = {}) =>
      fromOpenAPI(spec, options).map((builder) => builder.getActionMetadata()[0]!.scopes);
    expect(scopesOf()).toEqual([['read:a', 'read:b'], [], []]);
    expect(scopesOf({ credentials: { oauth: 'token' } })).toEqual([['read:a', 'read:b'], [], ['c']]);
    expect(scopesOf({ scopes: false })).toEqual([[], [], []]);
    expect(scopesOf({ scopes: (scope) => (scope === 'read:a' ? 'api' : undefined) })).toEqual([
      ['api'],
      [],
      [],
    ]);
  });

  it('has an output schema that names properties, and accepts null, other values and more fields', async () => {
    await using server = await ApiServer.start((_, response) =>
      answerJson(response, { id: 1, state: 'new value', owner: null, extra: { a: 1 } }),
    );
    const schema = {
      type: 'object',
      required: ['id', 'missing'],
      properties: {
        id: { type: 'integer' },
        state: { type: 'string', enum: ['open', 'closed'] },
        owner: { type: 'object', properties: { name: { type: 'string' } } },
        secret: { type: 'string', writeOnly: true },
      },
    };
    const spec = specification({ '/a': { get: { responses: { 200: json(schema) } } } });
    const [builder] = fromOpenAPI(spec, { baseUrl: server.origin });
    const { structuredContent, isError } = await builder!.execute({ action: 'get' });
    expect(isError).not.toBe(true);
    expect(structuredContent).toEqual({ id: 1, state: 'new value', owner: null, extra: { a: 1 } });
    const outputOf = (options: FromOpenAPIOptions) =>
      fromOpenAPI(spec, options)[0]!.compile().spec.actions[0]!.output?.jsonSchema;
    expect(outputOf({})).toEqual({
      type: 'object',
      properties: {
        id: { type: ['integer', 'null'] },
        state: { type: ['string', 'null'] },
        owner: { type: ['object', 'null'], properties: { name: { type: ['string', 'null'] } } },
      },
    });
    expect(outputOf({ outputSchemas: false })).toBeUndefined();
    expect(outputOf({ maxSchema: 50 })).toBeUndefined();
  });
});

describe('fromOpenAPI', () => {
  const paths = {
    '/events': {
      get: { tags: ['Events'], operationId: 'listEvents' },
      post: { tags: ['Events'], operationId: 'createEvent' },
    },
    '/v1/tickets/{id}': { get: { operationId: 'getTicket', deprecated: true } },
  };

  it('makes one builder for each group', () => {
    expect(actionsOf(specification(paths))).toEqual(['events.list', 'events.create', 'tickets.get']);
    expect(actionsOf(specification(paths), { prefix: 'museum' })[0]).toBe('museum_events.list');
    expect(actionsOf(specification(paths), { deprecated: false })).toEqual(['events.list', 'events.create']);
    const tagged = { '/a/b': { get: { tags: ['X'] } } };
    expect(actionsOf(specification(tagged), { groupBy: 'path' })).toEqual(['a.get_b']);
  });

  it('describes groups by their tags', () => {
    const tags = [{ name: 'Events', description: 'Special [events](https://x.example).' }];
    const [builder] = fromOpenAPI(specification(paths, { tags }));
    expect(builder).toBeInstanceOf(GroupedToolBuilder);
    expect(builder!.buildToolDefinition().description).toMatch(/^Special events\./);
  });

  it('renames, hides, regroups and redescribes operations with transform', async () => {
    await using server = await ApiServer.start();
    const seen: string[] = [];
    const builders = fromOpenAPI(specification(paths), {
      baseUrl: server.origin,
      transform: ({ method, path, operationId, group, name, deprecated, readOnly }) => {
        seen.push(`${method} ${path} ${operationId} ${group}.${name} ${deprecated} ${readOnly}`);
        if (operationId === 'createEvent') return { hidden: true };
        if (operationId === 'getTicket')
          return { group: 'events', name: 'ticket', description: 'Shows a ticket.' };
        return {
          search: { keywords: ['exhibition'] },
          middleware: [async (_, next) => ({ wrapped: await next() })],
          cached: { ttlMs: 1_000 },
        };
      },
    });
    expect(seen).toEqual([
      'GET /events listEvents events.list false true',
      'POST /events createEvent events.create false false',
      'GET /v1/tickets/{id} getTicket tickets.get true true',
    ]);
    expect(builders.map((builder) => [builder.name, builder.getActionNames()])).toEqual([
      ['events', ['list', 'ticket']],
    ]);
    expect(builders[0]!.getActionMetadata()[1]!.description).toBe('Shows a ticket.');
    const { content } = await builders[0]!.execute({ action: 'list' });
    expect(JSON.stringify(content)).toContain('wrapped');
  });

  it('rejects changes that do not exist, and names that two operations get', () => {
    const change = (changes: object) => () => fromOpenAPI(specification(paths), { transform: () => changes });
    expect(change({ hiden: true })).toThrow('transform(GET /events) has no option "hiden"');
    expect(change({ name: 'a b' })).toThrow(ErrInvalidOptions);
    expect(change({ group: 'all', name: 'same' })).toThrow('"same"');
  });

  it('does not retry an action that transform marks as not repeatable', async () => {
    await using server = await ApiServer.start((_, response) => answerJson(response, { error: 'busy' }, 503));
    const call = async (transform?: FromOpenAPIOptions['transform']) => {
      const before = server.received.length;
      const spec = specification({ '/a': { put: {} } });
      const [builder] = fromOpenAPI(spec, { baseUrl: server.origin, ...(transform ? { transform } : {}) });
      expect((await builder!.execute({ action: 'put' })).isError).toBe(true);
      return server.received.length - before;
    };
    expect(await call()).toBe(3);
    expect(await call(() => ({ idempotent: false }))).toBe(1);
    expect(await call(() => ({ retry: { attempts: 2, delayMs: 1 } }))).toBe(2);
  });

  it('throws for operations that cannot be offered, unless onSkipped is given', () => {
    const odd = {
      ...paths,
      '/upload': { post: { servers: [{ url: 'https://uploads.example.com' }] } },
      '/mixed': { post: { requestBody: { required: true, content: { 'multipart/mixed': {} } } } },
    };
    expect(() => fromOpenAPI(specification(odd))).toThrow(ErrModuleFailed);
    expect(() => fromOpenAPI(specification(odd))).toThrow('Pass onSkipped to leave them out.');
    const skipped: string[] = [];
    expect(
      actionsOf(specification(odd), {
        onSkipped: (operation, reason) => skipped.push(`${operation}: ${reason}`),
      }),
    ).toHaveLength(3);
    expect(skipped).toEqual([
      'POST /upload: it is on another server than https://api.museum.example',
      'POST /mixed: it takes only bodies of multipart/mixed',
    ]);
  });

  it('rejects unknown and invalid options', () => {
    for (const options of [
      { baseURL: 'x' },
      { baseUrl: 'ftp://x' },
      { groupBy: 'x' },
      { prefix: 'a b' },
      { maxSchema: 0 },
      [],
    ])
      expect(() => fromOpenAPI(specification(paths), options as never)).toThrow(ErrInvalidOptions);
  });

  it('sends the request of a call, with the servers of a path on the same host', async () => {
    await using server = await ApiServer.start();
    const spec = specification(
      {
        '/tickets/{id}': {
          servers: [
            { url: 'https://api.museum.example/{version}', variables: { version: { default: 'v2' } } },
          ],
          post: {
            operationId: 'buyTicket',
            security: [{ MuseumKey: [] }],
            parameters: [parameter('X-Visit', 'header'), parameter('q', 'query')],
            requestBody: {
              required: true,
              ...json({ type: 'object', properties: { id: { type: 'integer' } } }),
            },
          },
        },
      },
      { components: { securitySchemes: { MuseumKey: { type: 'http', scheme: 'bearer' } } } },
    );
    const registry = new ToolRegistry({ name: 'museum' });
    registry.register(
      fromOpenAPI(spec, { baseUrl: server.origin, credentials: { MuseumKey: 'secret-key-1' } }),
    );
    const { isError } = await registry.executeTool({
      name: 'tickets',
      arguments: { action: 'buy', id: 'a/b', id_body: 7, q: 'x y', 'X-Visit': 'today' },
    });
    expect(isError).not.toBe(true);
    const { method, target, body } = server.last;
    expect([method, target, body.toString()]).toEqual(['POST', '/v2/tickets/a%2Fb?q=x%20y', '{"id":7}']);
    expect(headerOf(server.last, 'authorization')).toEqual(['Bearer secret-key-1']);
    expect(headerOf(server.last, 'x-visit')).toEqual(['today']);
  });
});
