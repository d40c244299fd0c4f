import { core, toJSONSchema } from 'zod';
import type { ZodType } from 'zod';
import { assertNoMarks, MARK } from './unrepresentable.js';
import { MAX_ISSUES } from '../validate/schema-validator.js';
import type { MaybeAsyncValidate, ValidationResult } from '../validate/schema-validator.js';

/** Types that Zod converts to something that no JSON value can satisfy. */
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

/** Types that run a function of the author's, which may be asynchronous. */
const withCode = new Set(['catch', 'custom', 'lazy', 'pipe', 'promise', 'transform']);

/** Every other type has nothing to it but its checks. */
const remarkable = new Set([...throughout, ...withCode, 'object', 'literal']);

export function isZod4(source: unknown): source is ZodType {
  return typeof source === 'object' && source !== null && '_zod' in source;
}

export interface ConvertOptions {
  /** Called where code of the author's runs. */
  readonly onCode?: () => void;
  /** Whether it says all that Zod checks, also what tells a model nothing. */
  readonly isExact?: boolean;
}

/**
 * Zod's own conversion, which gives fresh JSON. Where Zod would throw without saying where, a second pass marks
 * the place.
 */
export function convertZod4(
  source: ZodType,
  io: 'input' | 'output',
  { onCode = () => {}, isExact = false }: ConvertOptions = {},
): unknown {
  let isMarked = false;
  const visit = ({ zodSchema, jsonSchema }: Context, kinds: ReadonlySet<string>): void => {
    const { def } = zodSchema._zod;
    const checks = def.checks as readonly Check[] | undefined;
    if (checks !== undefined && checks.length > 0) {
      if (checks.some(isCustom)) onCode();
      if (jsonSchema.pattern !== undefined || jsonSchema.allOf) dropFlaggedPatterns(checks, jsonSchema);
    }
    if (!isExact && (def.type === 'number' || def.type === 'string')) dropRedundantKeywords(jsonSchema);
    if (!remarkable.has(def.type)) return;
    if (withCode.has(def.type)) onCode();
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

/** What is looked at of a check. */
interface Check {
  readonly _zod: { readonly def: { readonly check: string; readonly pattern?: RegExp } };
}

function isCustom(check: Check): boolean {
  return check._zod.def.check === 'custom';
}

/** The field that keeps a schema from being converted, for failures that no type gives away: odd defaults. */
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
 * One run, synchronous where it can be. Zod's Standard Schema method tries synchronously first and drops the promise
 * of an asynchronous check, which then runs twice and may reject with nobody to catch it. So whatever runs code of
 * the author's is allowed to wait from the start; the rest takes Zod's compiled path.
 */
export function zod4Validate(source: ZodType, runsCode: boolean): MaybeAsyncValidate {
  const context = { async: runsCode };
  return (value) => {
    const payload = source._zod.run({ value, issues: [] }, context);
    return payload instanceof Promise ? payload.then((settled) => toResult(settled)) : toResult(payload);
  };
}

function toResult({ value, issues }: core.ParsePayload): ValidationResult {
  if (issues.length === 0) return { ok: true, value };
  const finalized = issues
    .slice(0, MAX_ISSUES)
    .map((issue) => core.util.finalizeIssue(issue, { async: true }, core.config()));
  return {
    ok: false,
    issues: finalized.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
      message,
    })),
  };
}

type Context = Parameters<NonNullable<NonNullable<Parameters<typeof toJSONSchema>[1]>['override']>>[0];

/** JSON Schema has no flags: `/^a$/i` without its flag would forbid what the validator accepts. */
function dropFlaggedPatterns(checks: readonly Check[], jsonSchema: Context['jsonSchema']): void {
  const isFlagged = checks.some((check) => /[ims]/.test(check._zod.def.pattern?.flags ?? ''));
  if (!isFlagged) return;
  delete jsonSchema.pattern;
  delete jsonSchema.allOf;
}

/** What a type that is fine in itself may hold. */
function hidden(def: Context['zodSchema']['_zod']['def']): string | undefined {
  if (def.type === 'object') return Object.hasOwn(def.shape, '__proto__') ? '__proto__' : undefined;
  if (def.type !== 'literal') return undefined;
  return def.values.map((value) => typeof value).find((type) => type === 'bigint' || type === 'undefined');
}

/** What Zod adds to formats that say the same to a reader. Others, such as that of date-time, say more. */
const patterns: ReadonlyMap<unknown, string> = new Map([
  ['email', core.regexes.email.source],
  ['uuid', core.regexes.uuid().source],
  ['date', core.regexes.date.source],
  ['ipv4', core.regexes.ipv4.source],
  ['ipv6', core.regexes.ipv6.source],
]);

/**
 * Takes words away that tell a model nothing: the range in which every number is exact, and the pattern beside a format
 * that has a name. Values are validated by the library, which knows both.
 */
export function dropRedundantKeywords(schema: {
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
  if (schema.pattern !== undefined && patterns.get(schema.format) === schema.pattern) delete schema.pattern;
}
