import type { BuilderOptions } from '../build/build-tool.js';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { OwnDefinition } from '../compile/registrable.js';
import type { ValueFor } from '../define/handler-value.js';
import type { PromptDefinition } from '../define/prompts.js';
import type { ResourceAddress, ResourceDefinition } from '../define/resources.js';
import type { Middleware, ToolContext } from '../define/tool-definition.js';
import type { SchemaSource } from '@toolfold/schema';
import type { NoFields } from '@toolfold/schema/internal';
import type { RegistryArguments } from './registry-options.js';
import { ToolRegistry } from './tool-registry.js';

/** Makes the parts of a server. In all of them, `context.app` is an `App`; TypeScript infers the other types. */
export interface Toolfold<App = unknown> {
  /** Creates a builder, which groups actions into one tool. */
  group<const Name extends string, const Namespace extends string | undefined = undefined>(
    name: Name,
    options?: BuilderOptions & { readonly namespace?: Namespace },
  ): GroupedToolBuilder<App, Name, unknown, unknown, never, Namespace>;
  /** Types a definition, for `.action()` of a builder or for `register()`. */
  action<
    const Name extends string,
    const Value extends ValueFor<O>,
    const S extends SchemaSource = NoFields,
    const O extends SchemaSource = never,
    const Namespace extends string | undefined = undefined,
  >(
    // The first part is in the first line of the compiler's error.
    definition: { readonly description: string } & OwnDefinition<App, Name, S, O, Value, Namespace>,
  ): typeof definition;
  /** Types a middleware with what it adds to the context. */
  middleware<Result>(middleware: Middleware<App, ToolContext<App>, Result>): typeof middleware;
  /** Types the definition of a prompt. */
  prompt<const S extends SchemaSource = NoFields>(definition: PromptDefinition<S, App>): typeof definition;
  /** Types the definition of a resource. */
  resource(definition: ResourceDefinition<App> & ResourceAddress): typeof definition;
  /** Creates a registry. If `App` is known, it needs a `contextFactory`, which makes `context.app` of each request. */
  registry(...options: RegistryArguments<App>): ToolRegistry<App>;
}

const asGiven = (given: unknown): unknown => given;
const parts = Object.freeze({
  group: (name: string, options?: BuilderOptions) => new GroupedToolBuilder(name, options),
  action: asGiven,
  middleware: asGiven,
  prompt: asGiven,
  resource: asGiven,
  registry: (...options: RegistryArguments<unknown>) => new ToolRegistry(...options),
});

/** Returns functions that make builders, actions, middleware, prompts, resources and the registry for one type of `context.app`. */
export function initToolfold<App = unknown>(): Toolfold<App> {
  return parts as Toolfold<App>;
}
