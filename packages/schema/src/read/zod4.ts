import { config, regexes, toJSONSchema, util } from 'zod/v4/core';
import type { ParsePayload } from 'zod/v4/core';
import type { ZodType } from 'zod';
import { assertNoMarks, MARK } from './unrepresentable.js';
import { MAX_ISSUES } from '../validate/schema-validator.js';
import type { MaybeAsyncValidate, ValidationResult } from '../validate/schema-validator.js';

/** Matches times in UTC, beside the format `date-time`. */
export const UTC = 'Z$';

/** Types that Zod converts to a schema that no JSON value matches. */
const notJson = new Set(['file', 'function', 'promise', 'symbol']);
const throughout = new Set([
  ...notJson,
  'bigint',
  'custom',
  'date',
  'map',
  'nan',
  'set',
  'transform',
  'undefined',
  'void',
]);

/** Types that run code of the author, which may be asynchronous. */
const withCode = new Set(['catch', 'custom', 'lazy', 'pipe', 'promise', 'transform']);

/** Types whose validation takes longer than their JSON Schema suggests. */
const withHiddenWork = new Set([...withCode, 'intersection', 'success', 'template_literal']);

/** Types for which `convertZod4` looks at more than their checks. */
const remarkable = new Set([...throughout, ...withHiddenWork, 'object', 'literal', 'default', 'prefault']);

export function isZod4(source: unknown): source is ZodType {
  return typeof source === 'object' && source !== null && '_zod' in source;
}

interface ConvertOptions {
  /** Called for each type whose work the JSON Schema does not show. `isCode` says whether it runs code of the author. */
  readonly onHidden?: (isCode: boolean) => void;
  /** Whether to keep keywords that tell a model nothing, because an exact comparison needs them. */
  readonly isExact?: boolean;
}

/** Converts with Zod's own converter, which returns new JSON. If Zod throws without naming the field, a second pass finds it. */
export function convertZod4(
  source: ZodType,
  io: 'input' | 'output',
  { onHidden = () => {}, isExact = false }: ConvertOptions = {},
): unknown {
  let isMarked = false;
  const visit = ({ zodSchema, jsonSchema }: Context, kinds: ReadonlySet<string>): void => {
    const { def } = zodSchema._zod;
    const checks = def.checks as readonly Check[] | undefined;
    if (checks !== undefined && checks.length > 0) {
      if (checks.some(isCustom)) onHidden(true);
      if (jsonSchema.pattern !== undefined || jsonSchema.allOf) dropFlaggedPatterns(checks, jsonSchema);
    }
    if (!isExact && (def.type === 'number' || def.type === 'string')) dropRedundantKeywords(jsonSchema);
    if (!remarkable.has(def.type)) return;
    if ('defaultValue' in def && isComputed(def)) delete jsonSchema.default;
    if (withHiddenWork.has(def.type)) onHidden(withCode.has(def.type));
    const found = kinds.has(def.type) ? def.type : hidden(def);
    if (found === undefined) return;
    (jsonSchema as Record<string, unknown>)[MARK] = found;
    isMarked = true;
  };
  let converted: unknown;
  try {
    converted = toJSONSchema(source, { io, override: (context) => visit(context, notJson) });
  } catch (cause) {
    const override = (context: Context): void => visit(context, throughout);
    assertNoMarks(toJSONSchema(source, { io, unrepresentable: 'any', override }));
    throw cause;
  }
  if (isMarked) assertNoMarks(converted);
  return converted;
}

/**
 * Whether a default is the result of a function that returns something else for each call, such as an id or the time. Zod does not tell
 * functions from values, so the default is read twice, and the current time and date count as computed.
 */
export function isComputed(def: { readonly defaultValue?: unknown }): boolean {
  const { defaultValue } = def;
  if (typeof defaultValue === 'number' && Math.abs(defaultValue - Date.now()) < 60_000) return true;
  if (typeof defaultValue === 'string' && defaultValue.startsWith(new Date().toISOString().slice(0, 10)))
    return true;
  return JSON.stringify(defaultValue) !== JSON.stringify(def.defaultValue);
}

interface Check {
  readonly _zod: { readonly def: { readonly check: string; readonly pattern?: RegExp } };
}

function isCustom(check: Check): boolean {
  return check._zod.def.check === 'custom';
}

/** Finds the field that cannot be converted although its type can, for example because of its default. */
export function findFailingField(
  source: ZodType,
  io: 'input' | 'output',
  path: readonly string[] = [],
): string[] {
  const { def } = source._zod as unknown as {
    def: { type: string; shape?: Record<string, ZodType>; innerType?: ZodType; element?: ZodType };
  };
  for (const [name, field] of Object.entries(def.shape ?? {})) {
    try {
      toJSONSchema(field, { io });
    } catch {
      return findFailingField(field, io, [...path, 'properties', name]);
    }
  }
  return [...path];
}

/**
 * Validates in one run, synchronously if possible. Zod's Standard Schema method tries synchronously first and drops the promise
 * of an asynchronous check, which then runs twice and may reject unhandled. So schemas that run code of the author may be
 * asynchronous from the start; the others use Zod's compiled path. With `abortEarly`, Zod stops at the first
 * issue of most types, and only that one is reported.
 */
export function zod4Validate(source: ZodType, runsCode: boolean, abortEarly = false): MaybeAsyncValidate {
  const context = { async: runsCode, abortEarly };
  const finish = (payload: ParsePayload): ValidationResult => toResult(payload, abortEarly ? 1 : MAX_ISSUES);
  return (value) => {
    const payload = source._zod.run({ value, issues: [] }, context);
    if (payload instanceof Promise) return payload.then(finish);
    return payload.issues.length === 0 ? { ok: true, value: payload.value } : finish(payload);
  };
}

function toResult({ value, issues }: ParsePayload, maxIssues: number): ValidationResult {
  if (issues.length === 0) return { ok: true, value };
  const finalized = issues
    .slice(0, maxIssues)
    .map((issue) => util.finalizeIssue(issue, { async: true }, config()));
  return {
    ok: false,
    issues: finalized.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
      message,
    })),
  };
}

type Context = Parameters<NonNullable<NonNullable<Parameters<typeof toJSONSchema>[1]>['override']>>[0];

/** Drops patterns with flags. JSON Schema has no flags, and without them `/^a$/i` would reject values that Zod accepts. */
function dropFlaggedPatterns(checks: readonly Check[], jsonSchema: Context['jsonSchema']): void {
  const isFlagged = checks.some((check) => /[ims]/.test(check._zod.def.pattern?.flags ?? ''));
  if (!isFlagged) return;
  delete jsonSchema.pattern;
  delete jsonSchema.allOf;
}

/** Finds the part of a representable type that JSON Schema cannot express. */
function hidden(def: Context['zodSchema']['_zod']['def']): string | undefined {
  if (def.type === 'object') return Object.hasOwn(def.shape, '__proto__') ? '__proto__' : undefined;
  if (def.type !== 'literal') return undefined;
  return def.values.map((value) => typeof value).find((type) => type === 'bigint' || type === 'undefined');
}

/** The part of a long pattern of Zod that the name of its format does not tell a model. */
const untold: ReadonlyMap<string, string | undefined> = new Map([
  [regexes.email.source, undefined],
  [regexes.uuid().source, undefined],
  [regexes.date.source, undefined],
  [regexes.duration.source, undefined],
  [regexes.ipv4.source, undefined],
  [regexes.ipv6.source, undefined],
  [regexes.datetime({ offset: true }).source, undefined],
  // Without the option `offset`, Zod accepts only times in UTC.
  [regexes.datetime({}).source, UTC],
]);

/**
 * Drops keywords that tell a model nothing: the range of safe integers, and the pattern beside a named format. Zod itself still
 * checks both.
 */
function dropRedundantKeywords(schema: {
  type?: unknown;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}): void {
  if (schema.type === 'integer') {
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  }
  if (schema.format === undefined || schema.pattern === undefined || !untold.has(schema.pattern)) return;
  const rest = untold.get(schema.pattern);
  if (rest === undefined) delete schema.pattern;
  else schema.pattern = rest;
}
