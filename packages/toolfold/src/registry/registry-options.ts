import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { anything, assertOptions, callback, flag, oneOf, text, withMethods } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { TagStrategy } from '../model/tool.js';
import type { SchemaValidator } from '@toolfold/schema';
import type { ContextFactory } from '../engine/request-context.js';
import { serviceRules } from '../engine/services.js';
import type { ServiceOptions } from '../engine/services.js';

/** Options of a registry: the description of the server, and its services. */
export interface ToolRegistryOptions<App> extends ServiceOptions<App> {
  /** Name of the server, which is also the name of the root of the tree. Default: toolfold. */
  readonly name?: string;
  /** Version of the server, as clients see it. Default: 0.0.0. */
  readonly version?: string;
  /** Tells models how to use the server as a whole. */
  readonly instructions?: string;
  /**
   * The allowed names of tools: those that every known client accepts, or all that MCP allows. Default: `portable`.
   */
  readonly wireNames?: 'portable' | 'any';
  /** Adds namespace, version and tags of each tool to listings, in `_meta['toolfold/identity']`. Default: false. */
  readonly listIdentity?: boolean;
  /**
   * The key that signs the state which 2026 clients send back with their answers to questions: at least 32 bytes, and the same
   * in all processes that serve one client. Default: the key of the shared state, or a random key in each process.
   */
  readonly requestStateKey?: string | Uint8Array;
  /**
   * Derives more tags from those of each action and its tool, for example the parents of hierarchical tags. Policies and search
   * see the derived tags beside the written ones. Default: none are added.
   */
  readonly tagStrategy?: TagStrategy;
  /**
   * Reads and validates the JSON Schemas among the definitions. It then decides alone which dialects and external
   * references are allowed. Default: a `DefaultValidator`.
   */
  readonly schemaValidator?: SchemaValidator;
}

/**
 * The arguments of `new ToolRegistry`. A registry whose `App` is known needs a `contextFactory`, because its handlers read
 * `context.app`.
 */
export type RegistryArguments<App> = unknown extends App
  ? [options?: ToolRegistryOptions<App>]
  : [options: { readonly contextFactory: ContextFactory<App> } & ToolRegistryOptions<App>];

const rules: Rules<keyof ToolRegistryOptions<unknown>> = {
  name: text,
  version: text,
  instructions: [(value) => typeof value === 'string', 'text'],
  wireNames: oneOf('portable', 'any'),
  listIdentity: flag,
  requestStateKey: anything,
  tagStrategy: callback,
  schemaValidator: withMethods('compile'),
  ...serviceRules,
};

/** Throws on an unknown or invalid option, because a typing mistake must not leave a server without a protection. */
export function assertRegistryOptions<App>(options: ToolRegistryOptions<App>): void {
  assertOptions('A registry', options, rules, { nameOf: (name) => name });
  if (options.shared && !options.shared.requestStateKey && options.requestStateKey === undefined) {
    throw new ErrInvalidOptions('A registry needs a requestStateKey if its shared state has no secret.', {
      hint: 'Give all processes the same key, because a client may send its answer to another process.',
    });
  }
}
