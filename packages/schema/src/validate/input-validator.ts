import { followPointer } from '../visit/json-pointer.js';
import { isSchema } from '../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { ReadSchema } from '../read/checked-schema.js';
import { MAX_ISSUES, UNKNOWN_FIELD } from './schema-validator.js';
import type { MaybeAsyncValidate, SchemaIssue, ValidationResult } from './schema-validator.js';

/** Whether undeclared fields are an error (`strict`) or dropped (`strip`). */
export type UnknownFields = 'strict' | 'strip';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Creates one validator for the common schema and the action's own. Each of the two gets the fields that it declares and, if it
 * is open, the fields that neither declares. The results are merged into one object.
 */
export function createInputValidator(
  action: ReadSchema,
  common: ReadSchema | undefined,
  unknownFields: UnknownFields,
  /** A key that belongs to neither schema and is ignored. Requires `dropsUndeclared`. */
  ignored?: string,
): MaybeAsyncValidate {
  const validate = common ? validateBoth(common, action) : action.validate;
  const schemas = common ? [common, action] : [action];
  if (schemas.some(isOpen)) return validate;
  const known = new Set(schemas.flatMap(({ fields }) => [...(fields?.keys() ?? [])]));
  if (ignored !== undefined) known.add(ignored);
  return unknownFields === 'strip' ? stripping(known, validate) : rejecting(known, validate);
}

/** How a call treats fields that neither schema declares. An open schema validates them. */
export type UndeclaredFields = 'rejected' | 'dropped' | 'validated';

export function undeclaredFields(
  action: ReadSchema,
  common: ReadSchema | undefined,
  unknownFields: UnknownFields,
): UndeclaredFields {
  if ((common && isOpen(common)) || isOpen(action)) return 'validated';
  return unknownFields === 'strip' ? 'dropped' : 'rejected';
}

/** Whether the validation itself drops undeclared fields, so that nothing else has to. */
export function dropsUndeclared(action: ReadSchema, common: ReadSchema | undefined): boolean {
  if (common) return !isOpen(common) && !isOpen(action);
  return action.stripsUndeclared;
}

function rejecting(known: ReadonlySet<string>, validate: MaybeAsyncValidate): MaybeAsyncValidate {
  return (value) => {
    for (const key of Object.keys(value as Arguments)) {
      if (!known.has(key)) return reject(value as Arguments, known, validate);
    }
    return validate(value);
  };
}

/** Reports the unknown fields, and the issues of the known ones. */
function reject(
  value: Arguments,
  known: ReadonlySet<string>,
  validate: MaybeAsyncValidate,
): ValidationResult | Promise<ValidationResult> {
  const issues: SchemaIssue[] = [];
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    issues.push({ path: [key], message: UNKNOWN_FIELD });
    if (issues.length >= MAX_ISSUES) break;
  }
  const add = (result: ValidationResult): ValidationResult => ({
    ok: false,
    issues: result.ok ? issues : [...issues, ...result.issues].slice(0, MAX_ISSUES),
  });
  const result = validate(pick(value, known));
  return result instanceof Promise ? result.then(add) : add(result);
}

function pick(value: Arguments, known: ReadonlySet<string>): Arguments {
  const keys = Object.keys(value).filter((key) => known.has(key));
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

function stripping(known: ReadonlySet<string>, validate: MaybeAsyncValidate): MaybeAsyncValidate {
  return (value) => {
    const isKnown = Object.keys(value as Arguments).every((key) => known.has(key));
    return validate(isKnown ? value : pick(value as Arguments, known));
  };
}

function validateBoth(common: ReadSchema, action: ReadSchema): MaybeAsyncValidate {
  const shared = new Set(common.fields?.keys());
  const own = new Set(action.fields?.keys());
  const [isCommonOpen, isActionOpen] = [isOpen(common), isOpen(action)];
  return (value) => {
    const forCommon: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    const forAction: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(value as Arguments)) {
      const entry = (value as Arguments)[key];
      if (shared.has(key) || (isCommonOpen && !own.has(key))) forCommon[key] = entry;
      if (own.has(key) || (isActionOpen && !shared.has(key))) forAction[key] = entry;
    }
    const first = common.validate(forCommon);
    // If the second throws, the rejection of the first would be unhandled.
    if (first instanceof Promise) first.catch(() => undefined);
    const second = action.validate(forAction);
    return first instanceof Promise || second instanceof Promise
      ? Promise.all([first, second]).then(([left, right]) => join(left, right))
      : join(first, second);
  };
}

function join(left: ValidationResult, right: ValidationResult): ValidationResult {
  if (left.ok && right.ok)
    return { ok: true, value: { ...(left.value as object), ...(right.value as object) } };
  const issues = [left, right].flatMap((result) => (result.ok ? [] : result.issues));
  return { ok: false, issues: issues.slice(0, MAX_ISSUES) };
}

/** Whether a schema accepts undeclared fields. */
export function isOpen(
  read: Pick<ReadSchema, 'jsonSchema' | 'fields'> & { readonly hasOnlyProperties?: boolean },
): boolean {
  const { jsonSchema } = read;
  if (read.hasOnlyProperties !== true && read.fields === undefined) return true;
  return allowsMore(jsonSchema, jsonSchema, new Set());
}

function allowsMore(schema: JsonSchema, root: JsonSchemaObject, seen: Set<JsonSchema>): boolean {
  if (typeof schema === 'boolean' || seen.has(schema)) return false;
  seen.add(schema);
  const { additionalProperties, unevaluatedProperties, patternProperties, $ref, allOf, anyOf, oneOf } =
    schema;
  if ((additionalProperties ?? false) !== false || (unevaluatedProperties ?? false) !== false) return true;
  if (patternProperties !== undefined) return true;
  if ($ref === undefined && allOf === undefined && anyOf === undefined && oneOf === undefined) return false;
  const target = typeof $ref === 'string' ? followPointer(root, $ref) : undefined;
  return [target, allOf, anyOf, oneOf].flat().some((part) => isSchema(part) && allowsMore(part, root, seen));
}
