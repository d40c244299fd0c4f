import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { choicesOf, isJsonObject, mapIn, namesIn } from '@toolfold/schema/internal';
import { joinWords, showValue } from './notes.js';

/**
 * Describes what `not`, `if` and `contains` require, because lowered schemas omit these keywords. Rules that need many words are
 * left out.
 */
export function constraintNotes({
  not,
  if: condition,
  then,
  else: otherwise,
  contains,
}: JsonSchemaObject): string[] {
  const notes: string[] = [];
  const excluded = valuesOf(not);
  if (excluded) notes.push(`Not ${joinWords(excluded.map(showValue), ' or ')}.`);
  else {
    const [name, ...others] = onlyRequired(not);
    if (name !== undefined)
      notes.push(
        others.length === 0
          ? `Never with ${name}.`
          : `Not ${joinWords([name, ...others], ' and ')} together.`,
      );
  }
  const when = conditionOf(condition);
  if (when !== undefined) {
    for (const [word, part] of [
      ['If', then],
      ['Unless', otherwise],
    ] as const) {
      const needed = requiredOf(part);
      if (needed.length > 0) notes.push(`${word} ${when}, give ${joinWords(needed, ' and ')}.`);
    }
  }
  const item = valuesOf(contains) ?? [];
  if (item.length > 0) notes.push(`Contains ${joinWords(item.map(showValue), ' or ')}.`);
  else if (isJsonObject(contains) && typeof contains['type'] === 'string')
    notes.push(`Contains at least one ${contains['type']}.`);
  return notes;
}

function valuesOf(schema: unknown): readonly unknown[] | undefined {
  const values = choicesOf(mapIn(schema));
  return values?.length === 0 ? undefined : values;
}

function requiredOf(schema: unknown): readonly string[] {
  return namesIn(mapIn(schema)['required']);
}

/** Returns the required names of a schema that has no other keyword. */
function onlyRequired(schema: unknown): readonly string[] {
  const isOnly =
    isJsonObject(schema) &&
    Object.keys(schema).every((keyword) => keyword === 'required' || keyword === 'type');
  return isOnly ? requiredOf(schema) : [];
}

/** Describes a condition in words, such as `kind is "file"`. */
function conditionOf(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties = {} } = schema;
  if (!isJsonObject(properties)) return undefined;
  if (!Object.keys(schema).every((keyword) => ['properties', 'required', 'type'].includes(keyword)))
    return undefined;
  const words: string[] = [];
  for (const [name, property] of Object.entries(properties as Record<string, JsonSchema>)) {
    const values = valuesOf(property);
    if (!values) return undefined;
    words.push(`${name} is ${joinWords(values.map(showValue), ' or ')}`);
  }
  const given = requiredOf(schema).filter((name) => !Object.hasOwn(properties, name));
  words.push(...given.map((name) => `${name} is given`));
  return words.length > 0 && words.length < 5 ? joinWords(words, ' and ') : undefined;
}
