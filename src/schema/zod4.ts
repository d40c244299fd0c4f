import { core, toJSONSchema } from 'zod';
import type { ZodType } from 'zod';
import { MARK } from './unrepresentable.js';
import type { MaybeAsyncValidate, ValidationResult } from './validation-result.js';

/** Types that Zod converts to something that no JSON value can satisfy. */
const notJson = new Set(['file', 'function', 'promise', 'symbol']);
const throughout = new Set([
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

export function isZod4(source: unknown): source is ZodType {
  return typeof source === 'object' && source !== null && '_zod' in source;
}

/** Zod's own conversion. Where Zod would throw without saying where, a second pass marks the place. */
export function convertZod4(source: ZodType, io: 'input' | 'output', onCode: () => void = () => {}): unknown {
  const visit = (context: Context, kinds: ReadonlySet<string>): void => {
    if (hasCode(context.zodSchema)) onCode();
    mark(context, kinds);
  };
  try {
    return toJSONSchema(source, { io, override: (context) => visit(context, notJson) });
  } catch (cause) {
    const both = new Set([...notJson, ...throughout]);
    const marked = toJSONSchema(source, {
      io,
      unrepresentable: 'any',
      override: (context) => visit(context, both),
    });
    if (JSON.stringify(marked).includes(MARK)) return marked;
    throw cause;
  }
}

/** Types that run a function of the author's, which may be asynchronous. */
const withCode = new Set(['catch', 'custom', 'lazy', 'pipe', 'promise', 'transform']);

function hasCode({ _zod: { def } }: Context['zodSchema']): boolean {
  if (withCode.has(def.type)) return true;
  const checks = (def.checks ?? []) as readonly { _zod: { def: { check: string } } }[];
  return checks.some((check) => check._zod.def.check === 'custom');
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
  const finalized = issues.map((issue) => core.util.finalizeIssue(issue, { async: true }, core.config()));
  return {
    ok: false,
    issues: finalized.map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
      message,
    })),
  };
}

type Context = Parameters<NonNullable<NonNullable<Parameters<typeof toJSONSchema>[1]>['override']>>[0];

function mark({ zodSchema, jsonSchema }: Context, kinds: ReadonlySet<string>): void {
  if (jsonSchema.pattern !== undefined || jsonSchema.allOf)
    dropFlaggedPatterns(zodSchema, jsonSchema as Record<string, unknown>);
  const { def } = zodSchema._zod;
  const found = kinds.has(def.type) ? def.type : hidden(def);
  if (found) (jsonSchema as Record<string, unknown>)[MARK] = found;
}

/** JSON Schema has no flags: `/^a$/i` without its flag would forbid what the validator accepts. */
function dropFlaggedPatterns(zodSchema: Context['zodSchema'], jsonSchema: Record<string, unknown>): void {
  const checks = (zodSchema._zod.def.checks ?? []) as readonly { _zod: { def: { pattern?: RegExp } } }[];
  const flagged = checks
    .map((check) => check._zod.def.pattern)
    .filter((pattern) => pattern && /[ims]/.test(pattern.flags));
  if (flagged.length === 0) return;
  delete jsonSchema['pattern'];
  delete jsonSchema['allOf'];
}

/** What a type that is fine in itself may hold. */
function hidden(def: Context['zodSchema']['_zod']['def']): string | undefined {
  if (def.type === 'object') return Object.hasOwn(def.shape, '__proto__') ? '__proto__' : undefined;
  if (def.type !== 'literal') return undefined;
  return def.values.map((value) => typeof value).find((type) => type === 'bigint' || type === 'undefined');
}
