import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod';
import {
  ErrExternalRef,
  ErrInvalidSchema,
  ErrInvalidTool,
  ErrUnsupportedSchema,
  ToolfoldError,
} from '@toolfold/schema/errors';
import type { SchemaSource, SchemaValidator } from '@toolfold/schema';
import { readDefinition, readObject } from './read-definition.js';
import type { DefinitionPlace } from './read-definition.js';
import type { AnyToolDefinition, Middleware, ToolDefinition } from './tool-definition.js';

const handler = () => 'done';
const inTool: DefinitionPlace = { tool: 'platform' };
const inGroup: DefinitionPlace = {
  tool: 'platform',
  group: { name: 'users', description: 'People', middleware: [] },
};

const failure = (definition: object, place: DefinitionPlace): ToolfoldError => {
  try {
    readDefinition(definition as AnyToolDefinition, place);
  } catch (error) {
    if (error instanceof ToolfoldError) return error;
    throw error;
  }
  throw new Error('It was read.');
};

describe('a definition', () => {
  it('may have any typed input and context', () => {
    interface App {
      readonly db: string;
    }
    expectTypeOf<ToolDefinition>().toExtend<AnyToolDefinition>();
    expectTypeOf<ToolDefinition<z.ZodObject<{ a: z.ZodString }>, App>>().toExtend<AnyToolDefinition>();
    expectTypeOf<{
      name: string;
      handler: () => void;
      middleware: Middleware[];
    }>().toExtend<AnyToolDefinition>();
    expectTypeOf<{ name: string }>().not.toExtend<AnyToolDefinition>();
  });

  it('is read with all its fields', () => {
    const own: Middleware = (_call, next) => next();
    const ofGroup: Middleware = (_call, next) => next();
    const action = readDefinition(
      {
        name: 'create',
        title: 'Create',
        description: 'Adds a user',
        inputSchema: z.object({ email: z.string(), role: z.string().optional() }),
        outputSchema: z.object({ id: z.number().default(1) }),
        readOnly: false,
        destructive: false,
        idempotent: true,
        openWorld: true,
        tags: ['admin'],
        scopes: ['users:write'],
        timeoutMs: 5,
        middleware: [own],
        handler,
      },
      { tool: 'platform', group: { name: 'users', description: 'People', middleware: [ofGroup] } },
    );
    expect(action).toMatchObject({
      key: 'users.create',
      actionName: 'create',
      groupName: 'users',
      groupDescription: 'People',
      title: 'Create',
      description: 'Adds a user',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: true,
      tags: ['admin'],
      scopes: ['users:write'],
      timeoutMs: 5,
      middleware: [ofGroup, own],
      handler,
    });
    expect(action.input.required).toEqual(['email']);
    expect(action.output?.required, 'as it comes out, with defaults').toEqual(['id']);
  });

  it('needs only a name and a handler', () => {
    const action = readDefinition({ name: 'ping', handler }, inTool);
    expect(action).toMatchObject({ key: 'ping', actionName: 'ping', tags: [], scopes: [], middleware: [] });
    expect(action.input.required).toEqual([]);
    expect([action.readOnly, action.destructive, action.output, action.groupName]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is frozen when read, and independent of the original', () => {
    const definition = { name: 'a', tags: ['x'], scopes: ['s'], middleware: [] as Middleware[], handler };
    const action = readDefinition(definition, inTool);
    definition.tags.push('y');
    definition.middleware.push((_call, next) => next());
    expect(action).toMatchObject({ tags: ['x'], middleware: [] });
    for (const part of [action, action.tags, action.scopes, action.middleware, action.input]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(definition)).toBe(false);
  });

  it('is validated by the given validator', () => {
    const validate = vi.fn<(value: unknown) => { ok: true; value: unknown }>((value) => ({
      ok: true,
      value,
    }));
    const validator = { compile: () => validate } as unknown as SchemaValidator;
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const action = readDefinition({ name: 'a', inputSchema, handler }, { ...inTool, validator });
    void action.input.validate({ a: 1 });
    expect(validate).toHaveBeenCalledWith({ a: 1 });
  });
});

describe('a dialect that only the validator knows', () => {
  it('is accepted if the author passes that validator', () => {
    const inputSchema = { $schema: 'https://acme.example/dialect', type: 'object', properties: { a: {} } };
    const validator = {
      compile: () => (value: unknown) => ({ ok: true, value }),
    } as unknown as SchemaValidator;
    const action = readDefinition({ name: 'a', inputSchema, handler }, { ...inTool, validator });
    expect(action.input.jsonSchema).toEqual(inputSchema);
    expect(action.input.fields).toBeUndefined();
    expect(failure({ name: 'a', inputSchema, handler }, inTool)).toBeInstanceOf(ErrUnsupportedSchema);
  });
});

describe('an error in a definition', () => {
  it.each<[string, object]>([
    ['no name', { handler }],
    ['an empty name', { name: '', handler }],
    ['a blank name', { name: '  ', handler }],
    ['a name that is not a string', { name: 5, handler }],
  ])('names the tool: %s', (_what, definition) => {
    expect(failure(definition, inTool)).toBeInstanceOf(ErrInvalidTool);
    expect(failure(definition, inTool).message).toContain('Tool "platform", action has no name.');
    expect(failure(definition, {}).message).toContain('Tool has no name.');
  });

  it('names tool and action: a dot in the name', () => {
    const error = failure({ name: 'a.b', handler }, inTool);
    expect(error).toBeInstanceOf(ErrInvalidTool);
    expect(error.message).toContain('Tool "platform", action "a.b": an action name must not contain a dot.');
    expect(error.details).toEqual({ tool: 'platform', action: 'a.b' });
    expect(failure({ name: 'a.b', handler }, inGroup).message).toContain('action "users.a.b"');
    expect(
      readDefinition({ name: 'a.b', description: 'd', inputSchema: {}, handler }).key,
      'a separate tool has no group',
    ).toBe('a.b');
  });

  it('names tool and action: no handler', () => {
    for (const definition of [{ name: 'list' }, { name: 'list', handler: 'list' }]) {
      expect(failure(definition, inGroup)).toBeInstanceOf(ErrInvalidTool);
      expect(failure(definition, inGroup).message).toContain(
        'Tool "platform", action "users.list" has no handler.',
      );
    }
    expect(failure({ name: 'ping' }, {}).message).toContain('Tool "ping" has no handler.');
  });

  it('names tool, action and field: a schema that JSON Schema cannot express', () => {
    const error = failure(
      { name: 'log', inputSchema: z.object({ from: z.object({ day: z.date() }) }), handler },
      inGroup,
    );
    expect(error).toBeInstanceOf(ErrInvalidSchema);
    expect(error.message).toContain('Tool "platform", action "users.log", inputSchema: The field "from.day"');
    expect(error.details).toMatchObject({ field: 'from.day' });
    expect(error.cause).toBeInstanceOf(ErrInvalidSchema);
    expect(
      failure({ name: 'log', outputSchema: z.object({ at: z.date() }), handler }, inTool).message,
    ).toContain('Tool "platform", action "log", outputSchema: The field "at"');
  });

  it('keeps its class', () => {
    const inputSchema = { type: 'object', properties: { a: { $ref: 'https://acme.example/' } } };
    expect(failure({ name: 'a', inputSchema, handler }, inTool)).toBeInstanceOf(ErrExternalRef);
    expect(failure({ name: 'a', inputSchema, handler }, inTool).message).toMatch(
      /^Tool "platform", action "a", inputSchema: /,
    );
  });

  it.each<[string, SchemaSource]>([
    ['text', z.string()],
    ['a list', z.array(z.object({ a: z.string() }))],
    ['one of several words', { enum: ['a'] }],
    ['nothing', { not: {} }],
  ])('says that arguments must be an object: %s', (_what, inputSchema) => {
    const error = failure({ name: 'a', inputSchema, handler }, inTool);
    expect(error).toBeInstanceOf(ErrInvalidSchema);
    expect(error.message).toContain('Tool "platform", action "a", inputSchema: arguments must be an object');
  });

  it.each<[string, SchemaSource]>([
    ['an object', z.object({})],
    ['a union with an object', z.union([z.object({ a: z.string() }), z.string()])],
    ['anything', z.unknown()],
    ['anything, in JSON Schema', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['a record', z.record(z.string(), z.string())],
    ['fields without a type', { properties: { a: {} } }],
  ])('does not occur for a schema that accepts some object: %s', (_what, source) => {
    expect(() => readObject(source, 'here')).not.toThrow();
  });

  it('does not occur for an output schema that is not an object', () => {
    expect(
      readDefinition({ name: 'a', outputSchema: z.array(z.string()), handler }, inTool).output?.jsonSchema,
    ).toMatchObject({
      type: 'array',
    });
  });
});
