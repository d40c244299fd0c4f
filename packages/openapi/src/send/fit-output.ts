import { isContentBlock, isResult } from 'toolfold/internal';
import type { CallToolResult, ContentBlock } from 'toolfold';
import { clip, followPointer, isJsonObject } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

/** The note for the model names at most this many deviations. */
const MAX_NAMED = 5;
const MAX_DEPTH = 200;
/** Nested alternatives multiply the comparisons. Above this limit, the rest of a value counts as fitting. */
const MAX_COMPARISONS = 2_000_000;

/**
 * Fits the result of a call to the output schema of its action, because a call that has taken effect must not fail when the API deviates
 * from its specification. The text keeps the whole answer; the structured content leaves out the parts that do not fit.
 */
export function fitOutput(result: unknown, schema: JsonSchemaObject): unknown {
  if (isContent(result)) return { content: [result].flat(), structuredContent: {} };
  const isFinished = isResult(result);
  const value = isFinished ? result.structuredContent : result;
  const fitting = new Fitting(schema);
  const fitted = fitting.fit(value, schema, [], 0);
  if (fitting.deviations.length === 0) return result;
  const content: ContentBlock[] = isFinished
    ? result.content
    : [{ type: 'text', text: JSON.stringify(value) }];
  const note = describeDeviations(fitting.deviations);
  const full: CallToolResult = {
    content: [...content, { type: 'text', text: note }],
    structuredContent: fitted === MISFIT ? {} : fitted,
  };
  return full;
}

function isContent(result: unknown): result is ContentBlock | ContentBlock[] {
  return Array.isArray(result) ? result.length > 0 && result.every(isContentBlock) : isContentBlock(result);
}

function describeDeviations(deviations: readonly string[]): string {
  const named = deviations.slice(0, MAX_NAMED).join(', ');
  const more = deviations.length > MAX_NAMED ? ` and ${deviations.length - MAX_NAMED} more` : '';
  return `The answer differs from the specification of the API at ${named}${more}. The structured content leaves these parts out.`;
}

/** Marks a value that does not fit its schema at all. */
const MISFIT = Symbol('misfit');

/** Fits values to the schemas that the import writes for outputs: types, properties, items, alternatives and references. */
class Fitting {
  readonly #root: JsonSchemaObject;
  readonly #work: { left: number };
  readonly deviations: string[] = [];

  constructor(root: JsonSchemaObject, work = { left: MAX_COMPARISONS }) {
    this.#root = root;
    this.#work = work;
  }

  /** Returns the value without the parts that do not fit, or the same value if everything fits. */
  fit(value: unknown, schema: unknown, path: readonly string[], depth: number): unknown {
    if (!isJsonObject(schema) || depth > MAX_DEPTH || --this.#work.left < 0) return value;
    const { $ref, type, anyOf, allOf } = schema;
    let fitted = value;
    if (typeof $ref === 'string') fitted = this.fit(fitted, followPointer(this.#root, $ref), path, depth + 1);
    if (fitted === MISFIT) return MISFIT;
    if (type !== undefined && ![type].flat().some((each) => isOfType(fitted, each)))
      return this.#misfit(path);
    if (Array.isArray(anyOf) && !anyOf.some((branch) => this.#accepts(fitted, branch, depth)))
      return this.#misfit(path);
    for (const part of Array.isArray(allOf) ? allOf : []) {
      fitted = this.fit(fitted, part, path, depth + 1);
      if (fitted === MISFIT) return MISFIT;
    }
    return this.#fitParts(fitted, schema, path, depth);
  }

  #misfit(path: readonly string[]): typeof MISFIT {
    this.deviations.push(path.length === 0 ? 'its root' : clip(path.join('.'), 100));
    return MISFIT;
  }

  #accepts(value: unknown, schema: unknown, depth: number): boolean {
    const trial = new Fitting(this.#root, this.#work);
    trial.fit(value, schema, [], depth + 1);
    return trial.deviations.length === 0;
  }

  #fitParts(
    value: unknown,
    { properties, items }: JsonSchemaObject,
    path: readonly string[],
    depth: number,
  ): unknown {
    if (Array.isArray(value)) {
      if (!isJsonObject(items)) return value;
      const fitted = value.map((item, at) => this.fit(item, items, [...path, String(at)], depth + 1));
      // Every type of an output may be null, and entries must keep their positions.
      return fitted.every((item, at) => item === value[at])
        ? value
        : fitted.map((item) => (item === MISFIT ? null : item));
    }
    if (!isJsonObject(value) || !isJsonObject(properties)) return value;
    const entries = Object.entries(value);
    const fitted = entries.map(([name, each]): [string, unknown] => [
      name,
      Object.hasOwn(properties, name) ? this.fit(each, properties[name], [...path, name], depth + 1) : each,
    ]);
    if (fitted.every(([, each], at) => each === entries[at]?.[1])) return value;
    return Object.fromEntries(fitted.filter(([, each]) => each !== MISFIT));
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
