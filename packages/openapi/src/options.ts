import type { Hints, OutputBudget, ToolDefinition } from 'toolfold';
import { ErrInvalidOptions } from 'toolfold/errors';
import { toWireName } from 'toolfold/internal';
import {
  anything,
  assertOptions,
  callback,
  count,
  flag,
  oneOf,
  record,
  text,
} from '@toolfold/schema/internal';
import type { Rule, Rules } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { readRequestSettings, sendRules } from './send/settings.js';
import type { RequestSettings, SendOptions } from './send/settings.js';

/** An operation of the specification, as `transform` and `onSkipped` receive it. */
export interface OpenAPIOperation extends Hints {
  /** The HTTP method in upper case, such as `POST`. */
  readonly method: string;
  /** The path with its placeholders, such as `/repos/{owner}/{repo}`. */
  readonly path: string;
  /** The `operationId`, if the specification sets one. */
  readonly operationId: string | undefined;
  /** The tags that the specification gives the operation. The first one chooses the group, unless `groupBy` is `path`. */
  readonly tags: readonly string[];
  /** Whether the specification marks the operation as deprecated. */
  readonly deprecated: boolean;
  /** The builder that gets the action, by name. */
  readonly group: string;
  /** The name that the import chose for the action. */
  readonly name: string;
  /** The description for models, shortened to `maxDescription`. */
  readonly description: string;
  /** The scopes that callers need, after the option `scopes` has mapped them. */
  readonly scopes: readonly string[];
  /** The JSON Schema of the action's input, which joins parameters and body. */
  readonly inputSchema: JsonSchemaObject;
}

/** Changes that `transform` returns for an operation: any field of a tool definition except schemas and handler, and these. */
export interface OperationChanges
  extends
    Hints,
    Pick<
      ToolDefinition,
      | 'title'
      | 'description'
      | 'tags'
      | 'search'
      | 'scopes'
      | 'middleware'
      | 'icons'
      | 'meta'
      | 'clientHints'
      | 'aliases'
      | 'security'
      | 'defaultArgumentResolver'
      | 'timeoutMs'
      | 'task'
      | 'cost'
      | 'cached'
      | 'invalidates'
      | 'idempotency'
      | 'retry'
      | 'outputBudget'
      | 'textFormat'
      | 'structuredText'
    > {
  /** Renames the action. */
  readonly name?: string;
  /** Moves the action to the builder with this name. */
  readonly group?: string;
  /** Whether to leave the operation out. */
  readonly hidden?: boolean;
  /** `false` removes the output schema. */
  readonly outputSchema?: false;
}

/** Configures what `fromOpenAPI` imports, and how the requests are sent. */
export interface FromOpenAPIOptions extends SendOptions {
  /** The address that all paths are relative to. Default: the first server of the specification that uses https. */
  readonly baseUrl?: string | URL;
  /** The address of the specification, to which it may give the addresses of servers relatively. Default: none. */
  readonly specUrl?: string | URL;
  /** Whether operations are grouped by their first tag or by the first segment of their path. Default: `tag`. */
  readonly groupBy?: 'tag' | 'path';
  /** Put before the names of the builders, with an underscore. Default: none. */
  readonly prefix?: string;
  /** Changes operations: renames, hides, regroups or redescribes them, and adds keywords or middleware. Default: no changes. */
  readonly transform?: (operation: OpenAPIOperation) => OperationChanges | undefined | void;
  /** Called for each operation that cannot be offered. Without it, such an operation is an error. */
  readonly onSkipped?: (operation: string, reason: string) => void;
  /**
   * Whether the OAuth scopes of the specification become scopes that callers need, or a function that maps them to scopes of this
   * server. Default: true.
   */
  readonly scopes?: boolean | ((scope: string) => string | undefined);
  /** Whether deprecated operations are offered. Default: true. */
  readonly deprecated?: boolean;
  /** Whether responses become output schemas. Default: true. */
  readonly outputSchemas?: boolean;
  /** The maximum size of results. Default: 10,000 tokens. */
  readonly outputBudget?: OutputBudget;
  /** Maximum length of the description of an operation; descriptions of fields have half of it. Default: 300. */
  readonly maxDescription?: number;
  /**
   * Maximum size of a schema in characters. Deep parts, descriptions and the last optional fields of larger input schemas, and larger
   * output schemas, are left out. Default: 8,000.
   */
  readonly maxSchema?: number;
  /** Maximum number of operations. Default: 5,000. */
  readonly maxOperations?: number;
}

/** The options of `fromOpenAPI` with every default filled in. */
export interface OpenAPISettings {
  readonly baseUrl: URL | undefined;
  readonly specUrl: URL | undefined;
  readonly groupBy: 'tag' | 'path';
  readonly prefix: string | undefined;
  readonly transform: (operation: OpenAPIOperation) => OperationChanges | undefined;
  readonly onSkipped: ((operation: string, reason: string) => void) | undefined;
  readonly mapScope: (scope: string) => string | undefined;
  readonly keepsDeprecated: boolean;
  readonly hasOutputSchemas: boolean;
  readonly outputBudget: OutputBudget;
  readonly maxDescription: number;
  readonly maxSchema: number;
  readonly maxOperations: number;
  readonly requests: RequestSettings;
}

const anyAddress: Rule = [(value) => value instanceof URL || typeof value === 'string', 'an address'];

const rules: Rules<keyof FromOpenAPIOptions> = {
  ...sendRules,
  baseUrl: anyAddress,
  specUrl: anyAddress,
  groupBy: oneOf('tag', 'path'),
  prefix: [
    (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(value),
    'at most 32 letters, digits, _ and -',
  ],
  transform: callback,
  onSkipped: callback,
  scopes: [(value) => typeof value === 'boolean' || typeof value === 'function', 'true, false or a function'],
  deprecated: flag,
  outputSchemas: flag,
  outputBudget: record('an object with bytes or tokens'),
  maxDescription: count,
  maxSchema: count,
  maxOperations: count,
};

export function readOptions(options: FromOpenAPIOptions): OpenAPISettings {
  assertOptions('fromOpenAPI', options, rules);
  const { transform, scopes = true } = options;
  return {
    baseUrl: options.baseUrl === undefined ? undefined : readBaseUrl(options.baseUrl, 'fromOpenAPI: baseUrl'),
    specUrl: options.specUrl === undefined ? undefined : readSpecUrl(options.specUrl),
    groupBy: options.groupBy ?? 'tag',
    prefix: options.prefix,
    transform: (operation) => readChanges(transform?.(operation) ?? undefined, operation),
    onSkipped: options.onSkipped,
    mapScope: typeof scopes === 'function' ? scopes : (scope) => (scopes ? scope : undefined),
    keepsDeprecated: options.deprecated ?? true,
    hasOutputSchemas: options.outputSchemas ?? true,
    outputBudget: options.outputBudget ?? { tokens: 10_000 },
    maxDescription: options.maxDescription ?? 300,
    maxSchema: options.maxSchema ?? 8_000,
    maxOperations: options.maxOperations ?? 5_000,
    requests: readRequestSettings(options, { isBaseTrusted: options.baseUrl !== undefined }),
  };
}

const PORTABLE_NAME = 'letters, digits, _ and -';
const isPortable = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 64 && toWireName(value) === value;

const changeRules: Rules<keyof OperationChanges> = {
  name: [isPortable, PORTABLE_NAME],
  group: [isPortable, PORTABLE_NAME],
  hidden: flag,
  outputSchema: [(value) => value === false, 'false'],
  description: text,
  readOnly: flag,
  destructive: flag,
  idempotent: flag,
  openWorld: flag,
  // The builder checks these fields when the action is added.
  title: anything,
  tags: anything,
  search: anything,
  scopes: anything,
  middleware: anything,
  icons: anything,
  meta: anything,
  clientHints: anything,
  aliases: anything,
  security: anything,
  defaultArgumentResolver: anything,
  timeoutMs: anything,
  task: anything,
  cost: anything,
  cached: anything,
  invalidates: anything,
  idempotency: anything,
  retry: anything,
  outputBudget: anything,
  textFormat: anything,
  structuredText: anything,
};

function readChanges(
  changes: OperationChanges | undefined,
  { method, path }: OpenAPIOperation,
): OperationChanges | undefined {
  if (changes !== undefined) assertOptions(`transform(${method} ${path})`, changes, changeRules);
  return changes;
}

function readSpecUrl(given: string | URL): URL {
  if (URL.canParse(String(given))) return new URL(String(given));
  throw new ErrInvalidOptions('fromOpenAPI: specUrl must be an address.');
}

/** Reads an address without query, fragment and credentials. Unlike a specification, the author of the server may choose http. */
export function readBaseUrl(address: string | URL, place: string): URL {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ErrInvalidOptions(`${place} must be an address that begins with https: or http:.`);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new ErrInvalidOptions(`${place} must have no query, fragment and credentials.`);
  return url;
}
