import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { choicesOf } from './widen-shape.js';

/** A description, and the actions that give it to a field. */
interface FieldText {
  text: string;
  readonly keys: (string | undefined)[];
}

/**
 * The description of a field that several actions declare: the first one, then each different one with its actions, such as
 * `First day. In convert: Currency to convert from.`
 */
export function describeField(
  shapes: readonly JsonSchema[],
  declaredBy: readonly (string | undefined)[],
  merged: JsonSchemaObject,
): string | undefined {
  const texts: FieldText[] = [];
  for (const [index, shape] of shapes.entries()) {
    const text = [textOf(shape), lostChoices(shape, merged)]
      .filter((part) => part !== '')
      .reduce(joinSentences, '');
    if (text === '') continue;
    const known = texts.find((each) => isAlike(each.text, text));
    if (!known) texts.push({ text, keys: [declaredBy[index]] });
    else {
      known.keys.push(declaredBy[index]);
      if (text.length > known.text.length + 1) known.text = text;
    }
  }
  const [first, ...others] = texts;
  const exceptions = others.map(({ text, keys }) => `In ${keys.join(', ')}: ${text}`);
  return first && exceptions.reduce(joinSentences, first.text);
}

/**
 * Whether two descriptions say the same. They may differ in case, white space, articles and a final period, and one of them may
 * add a remark in parentheses.
 */
function isAlike(left: string, right: string): boolean {
  const [one, other] = [left, right].map(comparable) as [string, string];
  if (one === other) return true;
  const hasRemark = [one, other].map((text) => text.includes('('));
  return hasRemark[0] !== hasRemark[1] && withoutRemarks(one) === withoutRemarks(other);
}

function comparable(text: string): string {
  return text
    .toLowerCase()
    .replace(/\b(?:the|an?) /g, '')
    .replace(/\s+/g, ' ')
    .replace(/\.$/, '');
}

function withoutRemarks(text: string): string {
  return text.replace(/ ?\([^()]*\)/g, '');
}

function textOf(shape: JsonSchema): string {
  const description = typeof shape === 'object' ? shape['description'] : undefined;
  return typeof description === 'string' ? description.trim() : '';
}

const MAX_CHOICES = 20;

/** The choices of an action, if the merged shape accepts any text because other actions do. */
function lostChoices(shape: JsonSchema, merged: JsonSchemaObject): string {
  if (typeof shape !== 'object' || 'anyOf' in merged || choicesOf(merged)) return '';
  const choices = choicesOf(shape) ?? [];
  if (choices.length === 0 || choices.length > MAX_CHOICES) return '';
  const names = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  return `One of: ${names.join(', ')}`;
}

/** Joins two texts, with a period between them if the first ends without punctuation. */
export function joinSentences(first: string, second: string): string {
  if (first === '') return second;
  return `${first}${/[.!?]$/.test(first) ? '' : '.'} ${second}`;
}
