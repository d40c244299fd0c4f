import { schemasIn, typesOf } from '../schema/check/value-types.js';
import { describeIssue, joinProblems, MAX_SHOWN } from '../schema/validate/describe-issues.js';
import type { InternalAction } from '../define/read-definition.js';
import { ErrInvalidResult } from '../errors.js';
import { fitResult } from '../guards/budget/fit-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { redactResult } from '../guards/redact/redact-outcome.js';
import type { ResponseFormatting } from './response-formatter.js';
import { isFinishedResult, toCallToolResult, toStructuredResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Redactor } from '../guards/redact/redactor.js';
import { followPointer, isSchema } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import type { ValidationResult } from '../schema/validate/schema-validator.js';

/** How the results of an action are written and how large they may be. */
export interface OutputRules {
  readonly action: InternalAction;
  readonly fieldNames: readonly string[];
  readonly formatter: ResponseFormatting;
  /** The action's own, else the registry's. */
  readonly budget: OutputBudget | undefined;
  /** Removes the credentials of the call from the errors that a handler returns. */
  readonly redactor: () => Redactor;
}

/** What a handler's value becomes: a result, checked against the output schema and cut to its budget. */
export function shapeOutput(value: unknown, rules: OutputRules): CallToolResult | Promise<CallToolResult> {
  const { action, formatter } = rules;
  const write = (part: unknown): string => {
    const text: unknown = formatter.format(part, action.textFormat);
    if (typeof text === 'string') return text;
    throw new ErrInvalidResult('The response formatter gave no text.');
  };
  const { budget } = rules;
  // Most actions have neither, and need not wait.
  if (action.output || budget) return shapeWithin(value, budget, rules, write);
  return redactReturned(toCallToolResult(value, write), rules);
}

/** Errors that a handler returns hold credentials as often as those that it throws. */
function redactReturned(result: CallToolResult, { redactor }: OutputRules): CallToolResult {
  return result.isError === true ? redactResult(result, redactor()) : result;
}

async function shapeWithin(
  value: unknown,
  budget: OutputBudget | undefined,
  rules: OutputRules,
  write: (value: unknown) => string,
): Promise<CallToolResult> {
  const { action, fieldNames } = rules;
  const shaped = action.output
    ? await toStructured(value, action.output, { write, action })
    : toCallToolResult(value, write);
  const result = redactReturned(shaped, rules);
  if (!budget) return result;
  const { output } = action;
  return fitResult(result, budget, {
    fieldNames,
    write,
    ...(result === value ? {} : { data: value }),
    ...(output ? { accepts: (part: unknown) => acceptsNow(output, part) } : {}),
  });
}

/** Data must be what the output schema promises: clients refuse anything else. An error passes as it is. */
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
  if (!checked.ok) throw invalidResult(checked.issues.map((issue) => describeIssue(issue)));
  const lost = isStrict ? findLost(value, checked.value) : [];
  if (lost.length > 0) throw invalidResult(lost.map((path) => `${path}: is not in the schema`));
  return checked.value;
}

function invalidResult(problems: readonly string[]): ErrInvalidResult {
  return new ErrInvalidResult(`The result does not fit the output schema: ${joinProblems(problems)}.`, {
    details: { problems: problems.slice(0, MAX_SHOWN) },
  });
}

/** Where telling takes time, nothing can be cut: what is not known to fit does not go out. */
function acceptsNow(output: ReadSchema, value: unknown): boolean {
  const result = output.validate(value) as ValidationResult | Promise<ValidationResult>;
  if (!(result instanceof Promise)) return result.ok;
  result.catch(() => undefined);
  return false;
}

const MAX_DEPTH = 64;

/** Without the keys that a closed object of the schema has no place for. */
function dropUnknown(value: unknown, given: JsonSchema, root: JsonSchemaObject, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || typeof given === 'boolean' || depth > MAX_DEPTH)
    return value;
  const target = objectIn(given, root);
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

/** The schema behind a reference, or the one branch of a choice that takes an object or a list. */
function objectIn(schema: JsonSchema, root: JsonSchemaObject, depth = 0): JsonSchemaObject | undefined {
  if (typeof schema === 'boolean' || depth > 8) return undefined;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = followPointer(root, $ref);
    return isSchema(target) ? objectIn(target, root, depth + 1) : undefined;
  }
  const branches = [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])];
  if (branches.length === 0) return schema;
  const nested = branches.filter((branch) => {
    const types = typesOf(branch, root);
    return types.has('object') || types.has('array');
  });
  return nested.length === 1 && nested[0] !== undefined ? objectIn(nested[0], root, depth + 1) : undefined;
}

/** The paths of keys that validation took away. */
function findLost(before: unknown, after: unknown, path = '', depth = 0): string[] {
  if (depth > MAX_DEPTH || !isPlain(before) || !isPlain(after)) return [];
  return Object.entries(before).flatMap(([key, value]) => {
    const place = path === '' ? key : `${path}.${key}`;
    if (value === undefined) return [];
    return Object.hasOwn(after, key) ? findLost(value, after[key], place, depth + 1) : [place];
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) || Array.isArray(value);
}
