import { ErrInvalidTool } from '@toolfold/schema/errors';
import {
  anything,
  assertOptions,
  callback,
  count,
  durationMs,
  flag,
  isFunction,
  isJsonObject,
  isPlain,
  oneOf,
  positiveMs,
} from '@toolfold/schema/internal';
import type { Rule, Rules } from '@toolfold/schema/internal';
import { findSearchProblem } from './search-words.js';
import type { AnyToolDefinition } from './tool-definition.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isName = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isNotNull = (value: unknown): boolean => value !== null;
const [isFlag] = flag;
const [isDuration, DURATION] = positiveMs;
const [isPause] = durationMs;
const [isCount] = count;
const isListOf =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(check);
const isRecordOf =
  (rules: Readonly<Record<string, (value: unknown) => boolean>>, needed: readonly string[] = []) =>
  (value: unknown): boolean =>
    isPlain(value) &&
    needed.every((key) => value[key] !== undefined) &&
    Object.entries(value).every(
      ([key, entry]) => Object.hasOwn(rules, key) && (entry === undefined || rules[key]?.(entry) === true),
    );

/** Describes a valid namespace in error messages. */
export const NAMESPACE = 'text of up to 64 letters, digits, "_", "." and "-"';
export const isNamespace = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value);

/** Accepts text as well, because reading the schema reports it as an invalid schema. */
const isJsonObjectOrText = (value: unknown): boolean => isText(value) || isJsonObject(value);

/** Claude Code ignores higher numbers. */
const MAX_RESULT_CHARS = 500_000;

const names: Rule = [isListOf(isText), 'a list of text'];

/** The rule of each field of a definition. Unknown fields are rejected, because a typo must not be ignored. */
const rules: Rules<keyof AnyToolDefinition> = {
  name: [isName, 'text'],
  title: [isText, 'text'],
  description: [isText, 'text'],
  // Other invalid values are reported as an invalid schema when the schema is read.
  inputSchema: [isNotNull, 'a schema'],
  outputSchema: [isNotNull, 'a schema'],
  schemaValidator: [
    (value) => typeof value === 'object' && isFunction((value as { compile?: unknown } | null)?.compile),
    'a SchemaValidator, which has a function compile',
  ],
  readOnly: flag,
  destructive: flag,
  idempotent: flag,
  openWorld: flag,
  tags: names,
  // Left to `assertSearch`, which names the word that is invalid.
  search: anything,
  scopes: names,
  middleware: [isListOf(isFunction), 'a list of functions'],
  icons: [isListOf(isPlain), 'a list of icons'],
  meta: [isPlain, 'an object'],
  clientHints: [
    isRecordOf({
      alwaysLoad: isFlag,
      maxResultChars: (value) => isCount(value) && (value as number) <= MAX_RESULT_CHARS,
      requiresPerson: isFlag,
    }),
    '{ alwaysLoad, maxResultChars, requiresPerson } with up to 500,000 characters',
  ],
  aliases: [isListOf(isName), 'a list of former names'],
  namespace: [isNamespace, NAMESPACE],
  version: [isName, 'text'],
  security: [isRecordOf({ namespace: isName, operation: isName }), '{ namespace, operation }'],
  metadata: [
    isRecordOf({ inputJsonSchema: isJsonObjectOrText, allowNarrower: isFlag, annotations: isAnnotations }),
    '{ inputJsonSchema, allowNarrower, annotations }',
  ],
  confirm: [
    (value) => isName(value) || isFunction(value),
    'the text of a question or a function that returns it',
  ],
  defaultArgumentResolver: callback,
  timeoutMs: positiveMs,
  task: [
    (value) =>
      value === true ||
      isRecordOf({
        required: isFlag,
        input: (when) => when === 'during' || when === 'before',
        ttlMs: isCount,
        pollIntervalMs: isCount,
      })(value),
    'true or { required, input, ttlMs, pollIntervalMs } with whole milliseconds of at least 1',
  ],
  cost: count,
  cached: [
    isRecordOf(
      { ttlMs: isDuration, staleWhileRevalidateMs: isPause, shared: isFlag, tags: isListOf(isName) },
      ['ttlMs'],
    ),
    `{ ttlMs, staleWhileRevalidateMs, shared, tags } with ${DURATION}`,
  ],
  invalidates: [isListOf(isName), 'a list of tags'],
  idempotency: [(value) => value === true || isRecordOf({ field: isName })(value), 'true or { field }'],
  retry: [
    isRecordOf({ attempts: (value) => isCount(value) && (value as number) <= 10, delayMs: isPause }, [
      'attempts',
    ]),
    '{ attempts, delayMs } with 1 to 10 attempts',
  ],
  outputBudget: [
    (value) =>
      isRecordOf({ bytes: isCount, tokens: isCount, countTokens: isFunction })(value) &&
      ['bytes', 'tokens'].some((limit) => (value as Record<string, unknown>)[limit] !== undefined),
    '{ bytes, tokens, countTokens } with bytes or tokens, which are whole numbers of at least 1',
  ],
  textFormat: oneOf('json', 'toon'),
  structuredText: oneOf('repeat', 'summary', 'omit'),
  unknownOutput: oneOf('strip', 'reject'),
  // Checked elsewhere, because a missing or invalid handler gets a message with a hint.
  handler: anything,
};

function isAnnotations(value: unknown): boolean {
  return (
    isPlain(value) &&
    ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].every(
      (hint) => value[hint] === undefined || isFlag(value[hint]),
    ) &&
    (value['title'] === undefined || isText(value['title']))
  );
}

export function assertDefinition(definition: AnyToolDefinition, label: string, isTool: boolean): void {
  assertOptions(label, definition, rules, { error: ErrInvalidTool });
  assertSearch(definition, label);
  assertPresent(definition, label, isTool);
  assertClaims(definition, label);
}

function assertSearch({ search }: AnyToolDefinition, label: string): void {
  const problem = search === undefined ? undefined : findSearchProblem(search);
  if (problem === undefined) return;
  throw new ErrInvalidTool(`${label}: search${problem}`, {
    hint: "Write search: { keywords: ['…'], examples: ['…'] }.",
    details: { field: 'search' },
  });
}

/**
 * Checks required fields. A tool that is registered on its own needs a description and a schema, because clients see nothing else
 * of it.
 */
function assertPresent(definition: AnyToolDefinition, label: string, isTool: boolean): void {
  if (typeof definition.handler !== 'function') {
    throw new ErrInvalidTool(`${label} has no handler.`, { hint: 'Add handler: ({ input, context }) => …' });
  }
  if (definition.handler.length > 1) {
    throw new ErrInvalidTool(
      `${label}: handler declares ${definition.handler.length} parameters, but gets one argument.`,
      {
        hint: 'Write ({ input, context }) => … instead of (args, extra) => ….',
        details: { field: 'handler' },
      },
    );
  }
  if (!isTool) {
    const field = (['namespace', 'version'] as const).find((name) => definition[name] !== undefined);
    if (field === undefined) return;
    throw new ErrInvalidTool(
      `${label}: ${field} is only allowed for tools that are registered on their own.`,
      {
        hint: `Write new GroupedToolBuilder('name', { ${field} }).`,
        details: { field },
      },
    );
  }
  if (!isName(definition.description)) {
    throw new ErrInvalidTool(`${label} has no description.`, {
      hint: 'Describe in a sentence what the tool does. Models choose tools by their descriptions.',
      details: { field: 'description' },
    });
  }
  if (definition.inputSchema === undefined) {
    throw new ErrInvalidTool(`${label} has no inputSchema.`, {
      hint: 'For a tool without arguments write inputSchema: {}.',
      details: { field: 'inputSchema' },
    });
  }
}

/** Rejects contradicting hints, and guards that need a hint which the author has not declared. */
function assertClaims(definition: AnyToolDefinition, label: string): void {
  const { readOnly, idempotent, destructive, cached, retry, metadata } = definition;
  const reads = readOnly ?? metadata?.annotations?.readOnlyHint;
  const destroys = destructive ?? metadata?.annotations?.destructiveHint;
  const repeats = idempotent ?? metadata?.annotations?.idempotentHint;
  if (reads === true && destroys === true)
    throw new ErrInvalidTool(`${label} is declared both readOnly and destructive.`);
  if (cached && reads !== true) {
    throw new ErrInvalidTool(`${label}: cached is only allowed for readOnly actions.`, {
      hint: 'Calls that are answered from the cache do not run the handler.',
      details: { field: 'cached' },
    });
  }
  if (retry && reads !== true && repeats !== true) {
    throw new ErrInvalidTool(`${label}: retry is only allowed for idempotent or readOnly actions.`, {
      hint: 'A retry of any other action could repeat its effects.',
      details: { field: 'retry' },
    });
  }
}
