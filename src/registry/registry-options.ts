import { suggestName } from '../values/nearest-name.js';
import { ErrInvalidModel } from '../errors.js';
import type { TagStrategy } from '../model/tool.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import { serviceNames } from '../engine/services.js';
import type { ServiceOptions } from '../engine/services.js';

/** What a registry is made from: what clients are told of the server, and what it works with. */
export interface ToolRegistryOptions<App> extends ServiceOptions<App> {
  /** The server's name; also the root of the tree. Default: toolfold. */
  readonly name?: string;
  /** The server's version. Default: 0.0.0. */
  readonly version?: string;
  /** What clients are told about using the server as a whole. */
  readonly instructions?: string;
  /**
   * Which names tools may have: those that every known client accepts, or all that MCP allows. Default: `portable`.
   */
  readonly wireNames?: 'portable' | 'any';
  /** Adds namespace, version and tags of each tool to listings, in `_meta['toolfold/identity']`. Default: false. */
  readonly listIdentity?: boolean;
  /**
   * Signs what clients of 2026-07-28 carry from request to request while they answer questions: at least 32 bytes, and
   * the same in all processes that serve one client. By default that of the shared state, or made anew in each process.
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

const optionNames: ReadonlySet<string> = new Set([
  'name',
  'version',
  'instructions',
  'wireNames',
  'listIdentity',
  'requestStateKey',
  'schemaValidator',
  'tagStrategy',
  ...serviceNames,
]);

/** A slip in an option must not leave a server without what the option was for. */
export function assertOptions<App>(options: ToolRegistryOptions<App>): void {
  if (options.shared && !options.shared.requestStateKey && options.requestStateKey === undefined) {
    throw new ErrInvalidModel('With shared state that has no secret a registry needs a requestStateKey.', {
      hint: 'Give all processes the same one: a client may answer to another than it was asked by.',
    });
  }
  if (options.tagStrategy !== undefined && typeof options.tagStrategy !== 'function')
    throw new ErrInvalidModel('tagStrategy must be a function.');
  if (options.listIdentity !== undefined && typeof options.listIdentity !== 'boolean')
    throw new ErrInvalidModel('listIdentity must be true or false.');
  const { schemaValidator } = options;
  if (
    schemaValidator !== undefined &&
    typeof (schemaValidator as { compile?: unknown } | null)?.compile !== 'function'
  )
    throw new ErrInvalidModel('schemaValidator must be a SchemaValidator, which has a function compile.');
  const unknown = Object.keys(options).find((key) => !optionNames.has(key));
  if (unknown === undefined) return;
  throw new ErrInvalidModel(`A registry has no option "${unknown}".`, suggestName(unknown, optionNames));
}
