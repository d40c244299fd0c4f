import type { ActionSchema } from '../compile/input-schema/action-schema.js';
import { AsyncLocalStorage } from '#async-hooks';
import { nestedPromise } from '../values/lossy-value.js';
import { toIndentedJson, toJson, toToon } from '../values/value-text.js';
import {
  assertOptions,
  describeIssue,
  flag,
  isJsonObject,
  isSchema,
  joinProblems,
  MAX_SHOWN,
  nestedSchema,
} from '@toolfold/schema/internal';
import type { InternalAction } from '../define/read-definition.js';
import { ErrInvalidResult } from '@toolfold/schema/errors';
import { fitResult } from '../guards/budget/fit-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { shortenText } from '../guards/budget/structured-text.js';
import type { StructuredTextRule } from '../guards/budget/structured-text.js';
import { redactResult } from '../guards/redact/redactor.js';
import { isFinishedResult, toCallToolResult, toStructuredResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Redactor } from '../guards/redact/redactor.js';
import type { JsonSchema, JsonSchemaObject, ReadSchema, ValidationResult } from '@toolfold/schema';

export interface OutputRules {
  readonly action: InternalAction;
  readonly schema: Pick<ActionSchema, 'fieldNames'>;
  readonly formatter: ResponseFormatting;
  /**
   * Whether the call asks for compact JSON. Runtimes without `AsyncLocalStorage` lose the override of the formatter after the
   * handler.
   */
  readonly minify: boolean | undefined;
  readonly budget: OutputBudget | undefined;
  /** How text that repeats structured content is shortened. Stored values are not shaped, so each call has its own rule. */
  readonly structuredText: StructuredTextRule;
  /** Removes the credentials of the call from the errors that a handler returns. */
  readonly redactor: () => Redactor;
}

/** Makes a result of a handler's value, checks it against the output schema and cuts it to its budget. */
export function shapeOutput(value: unknown, rules: OutputRules): CallToolResult | Promise<CallToolResult> {
  const { action, budget, formatter, minify } = rules;
  const write = (part: unknown): string => {
    const format = (): unknown => formatter.format(part, action.textFormat);
    const text = minify === undefined ? format() : formatter.runWithMinifyOverride(minify, format);
    if (typeof text === 'string') return text;
    throw new ErrInvalidResult('The response formatter returned no text.');
  };
  if (action.output || budget) return shapeWithin(value, budget, rules, write);
  if (formatter === codeFormatter && isScalar(value))
    return { content: [{ type: 'text', text: write(value), _meta: { [JSON_VALUE]: true } }] };
  const result = toCallToolResult(value, write);
  // An error that a handler returns is redacted as one that it throws.
  return result.isError === true ? redactResult(result, rules.redactor()) : result;
}

async function shapeWithin(
  value: unknown,
  budget: OutputBudget | undefined,
  rules: OutputRules,
  write: (value: unknown) => string,
): Promise<CallToolResult> {
  const { action, schema } = rules;
  const shaped = action.output
    ? await toStructured(value, action.output, { write, action })
    : toCallToolResult(value, write);
  const result = shaped.isError === true ? redactResult(shaped, rules.redactor()) : shaped;
  const { output } = action;
  const fitted = budget
    ? fitResult(result, budget, {
        fieldNames: schema.fieldNames,
        write,
        ...(result === value ? {} : { data: value }),
        ...(output ? { accepts: (part: unknown) => acceptsNow(output, part) } : {}),
      })
    : result;
  // A handler that returns content beside its data has chosen the text itself.
  return output && !isFinishedResult(value) ? shortenText(fitted, rules.structuredText) : fitted;
}

/** Checks data against the output schema, because clients reject anything else. Errors are not checked. */
async function toStructured(
  value: unknown,
  output: ReadSchema,
  { write, action }: { write: (value: unknown) => string; action: InternalAction },
): Promise<CallToolResult> {
  if (!isFinishedResult(value)) return toStructuredResult(await checkOutput(value, output, action), write);
  if (value.isError === true) return value;
  return { ...value, structuredContent: await checkOutput(value.structuredContent, output, action) };
}

async function checkOutput(value: unknown, output: ReadSchema, action: InternalAction): Promise<unknown> {
  const isStrict = action.unknownOutput === 'reject';
  const known = isStrict ? value : dropUnknown(value, output.jsonSchema, output.jsonSchema);
  const checked = await output.validate(known);
  if (!checked.ok)
    throw nestedPromise(value) ?? invalidResult(checked.issues.map((issue) => describeIssue(issue)));
  const lost = isStrict ? findLost(value, checked.value) : [];
  if (lost.length > 0) throw invalidResult(lost.map((path) => `${path}: is not in the schema`));
  return checked.value;
}

function invalidResult(problems: readonly string[]): ErrInvalidResult {
  return new ErrInvalidResult(`The result does not fit the output schema: ${joinProblems(problems)}.`, {
    details: { problems: problems.slice(0, MAX_SHOWN) },
  });
}

/** Whether a shorter value fits the output schema. An asynchronous schema cannot tell at once, so nothing is cut for it. */
function acceptsNow(output: ReadSchema, value: unknown): boolean {
  const result = output.validate(value) as ValidationResult | Promise<ValidationResult>;
  if (!(result instanceof Promise)) return result.ok;
  result.catch(() => undefined);
  return false;
}

const MAX_DEPTH = 64;

/** Removes the keys that a closed object of the schema does not declare. */
function dropUnknown(value: unknown, given: JsonSchema, root: JsonSchemaObject, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || typeof given === 'boolean' || depth > MAX_DEPTH)
    return value;
  const target = knownTarget(given, root);
  if (target === undefined) return value;
  const { properties, items, additionalProperties, patternProperties } = target;
  if (Array.isArray(value)) {
    if (!isSchema(items)) return value;
    const kept = value.map((item) => dropUnknown(item, items, root, depth + 1));
    return kept.some((item, index) => item !== value[index]) ? kept : value;
  }
  if (!isJsonObject(properties) || !isJsonObject(value)) return value;
  const isClosed = additionalProperties === false && patternProperties === undefined;
  const entries = Object.entries(value);
  const kept = entries
    .filter(([key]) => !isClosed || Object.hasOwn(properties, key))
    .map(([key, entry]): [string, unknown] => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, isSchema(inner) ? dropUnknown(entry, inner, root, depth + 1) : entry];
    });
  const isSame =
    kept.length === entries.length && kept.every(([, entry], index) => entry === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

const targets = new WeakMap<JsonSchemaObject, { readonly of: JsonSchemaObject | undefined }>();

/** Caches `nestedSchema` for the items of a list, because a union may have many branches. */
function knownTarget(schema: JsonSchemaObject, root: JsonSchemaObject): JsonSchemaObject | undefined {
  let target = targets.get(schema);
  if (!target) targets.set(schema, (target = { of: nestedSchema(schema, root) }));
  return target.of;
}

/** Returns the paths of the keys that validation removed. */
function findLost(before: unknown, after: unknown, path = '', depth = 0): string[] {
  if (depth > MAX_DEPTH || !isObjectOrArray(before) || !isObjectOrArray(after)) return [];
  return Object.entries(before).flatMap(([key, value]) => {
    const place = path === '' ? key : `${path}.${key}`;
    if (value === undefined) return [];
    return Object.hasOwn(after, key) ? findLost(value, after[key], place, depth + 1) : [place];
  });
}

function isObjectOrArray(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) || Array.isArray(value);
}

/** Writes values as text. Pass your own to `ToolRegistry` as `responseFormatter`. */
export interface ResponseFormatting {
  /** Writes a value as the text of a text block. Returns text unchanged. */
  format(value: unknown, textFormat?: 'json' | 'toon'): string;
  /** Runs a call whose texts are compact, or not; `undefined` keeps the formatter's default. */
  runWithMinifyOverride<T>(minify: boolean | undefined, run: () => T): T;
}

/** Code parses results as JSON, so the formatter of the registry and the `textFormat` of the action do not apply. */
export const codeFormatter: ResponseFormatting = {
  format: (value) => (typeof value === 'string' ? value : toJson(value)),
  runWithMinifyOverride: (_, run) => run(),
};

/** Marks text that was written from a number, a boolean or null, so that code does not read it as text. */
export const JSON_VALUE = 'toolfold/json';

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value === null;
}

/** Decides how a `ResponseFormatter` writes JSON. */
export interface ResponseFormatterOptions {
  /** Whether JSON is compact if a call does not choose. Default: true. */
  readonly minify?: boolean;
}

/** Writes values as text: compact JSON, JSON with line breaks, or TOON. */
export class ResponseFormatter implements ResponseFormatting {
  readonly #minify: boolean;
  readonly #override = new AsyncLocalStorage<boolean | undefined>();
  /**
   * Whether any call has had an override. Until then, the AsyncLocalStorage is not used, because it slows down every promise of
   * the process.
   */
  #isOverridden = false;

  constructor(options: ResponseFormatterOptions = {}) {
    assertOptions('ResponseFormatter', options, { minify: flag });
    this.#minify = options.minify ?? true;
  }

  format(value: unknown, textFormat: 'json' | 'toon' = 'json'): string {
    if (typeof value === 'string') return value;
    if (textFormat === 'toon') return toToon(value);
    const isCompact = (this.#isOverridden ? this.#override.getStore() : undefined) ?? this.#minify;
    return isCompact ? toJson(value) : toIndentedJson(value);
  }

  runWithMinifyOverride<T>(minify: boolean | undefined, run: () => T): T {
    if (minify === undefined && !this.#isOverridden) return run();
    // A nested call has its own override, even if that is undefined.
    this.#isOverridden = true;
    return this.#override.run(minify, run);
  }
}
