import { expectTypeOf, it } from 'vitest';
import * as v from 'valibot';
import * as z from 'zod';
import { GroupedToolBuilder, initToolfold, ToolRegistry } from 'toolfold';

const handler = () => 'done';

/** Never runs: compiling it is the test. */
export function nameIdempotencyFields(): void {
  const builder = new GroupedToolBuilder('a').commonSchema({ workspace: z.string() });
  const inputSchema = z.object({ request_id: z.string(), note: z.string().optional() });
  builder.action({ name: 'own', inputSchema, idempotency: { field: 'request_id' }, handler });
  builder.action({ name: 'optional', inputSchema, idempotency: { field: 'note' }, handler });
  builder.action({ name: 'common', inputSchema, idempotency: { field: 'workspace' }, handler });
  builder.action({ name: 'meta', inputSchema, idempotency: true, handler });
  builder.action({ name: 'shape', inputSchema: { id: z.string() }, idempotency: { field: 'id' }, handler });
  const json = { type: 'object', properties: { id: {} } } as const;
  builder.action({ name: 'json', inputSchema: json, idempotency: { field: 'id' }, handler });
  // @ts-expect-error The input has no such field.
  builder.action({ name: 'other', inputSchema, idempotency: { field: 'requestId' }, handler });
  builder.group('g', (group) =>
    // @ts-expect-error
    group.action({ name: 'other', inputSchema, idempotency: { field: 'requestId' }, handler }),
  );
  const own = { name: 'own', description: 'Own', inputSchema } as const;
  new ToolRegistry().register({ ...own, idempotency: { field: 'request_id' }, handler });
  // @ts-expect-error
  new ToolRegistry().register({ ...own, idempotency: { field: 'requestId' }, handler });
}

/** Never runs: compiling it is the test. */
export function takeObjects(): void {
  const builder = new GroupedToolBuilder('a');
  interface Place {
    readonly length: number;
  }
  builder.action({ name: 'interface', inputSchema: z.custom<Place>(), handler });
  builder.action({ name: 'any', inputSchema: z.any(), handler });
  builder.action({ name: 'record', inputSchema: z.record(z.string(), z.number()), handler });
  builder.action({ name: 'union', inputSchema: z.union([z.object({}), z.object({ a: z.int() })]), handler });
  builder.action({ name: 'valibot', inputSchema: v.object({ a: v.string() }), handler });
  // @ts-expect-error
  builder.action({ name: 'list', inputSchema: z.array(z.string()), handler });
  // @ts-expect-error
  builder.action({ name: 'text', inputSchema: z.string(), handler });
  // @ts-expect-error
  builder.action({ name: 'valibot', inputSchema: v.array(v.string()), handler });
  // @ts-expect-error
  new ToolRegistry().register({ name: 'list', description: 'A', inputSchema: z.array(z.string()), handler });
}

/** Never runs: compiling it is the test. */
export function addressResources(): void {
  const { resource } = initToolfold();
  const registry = new ToolRegistry();
  registry.registerResource(resource({ name: 'a', uri: 'memo://a', handler }));
  registry.registerResource(resource({ name: 'a', uriTemplate: 'memo://{id}', handler }));
  // @ts-expect-error
  registry.registerResource({ name: 'a', handler });
  // @ts-expect-error
  registry.registerResource({ name: 'a', uri: 'memo://a', uriTemplate: 'memo://{id}', handler });
  // @ts-expect-error
  resource({ name: 'a', handler });
}

/** Never runs: compiling it is the test. */
export function configureGroups(): void {
  const builder = new GroupedToolBuilder('a');
  builder.group('chained', (group) => group.action({ name: 'a', handler }));
  builder.group('block', (group) => {
    const actions = group.action({ name: 'a', handler });
    return actions;
  });
  // @ts-expect-error The types of its actions would be lost.
  builder.group('nothing', (group) => {
    group.action({ name: 'a', handler });
  });
  // @ts-expect-error
  builder.group('async', async (group) => group.action({ name: 'a', handler }));
}

/** Never runs: compiling it is the test. */
export function keepNames(): void {
  interface App {
    readonly user: string;
  }
  // @ts-expect-error The type would lose the name.
  void new GroupedToolBuilder<App>('users');
  void new GroupedToolBuilder<App, 'users'>('users');
  const name: string = 'users';
  void new GroupedToolBuilder(name);
  void initToolfold<App>().group(name);
}

it('rejects mistakes in definitions when they are compiled', () => {
  expectTypeOf(new ToolRegistry().register).toBeFunction();
});
