import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { comparable, joinSentences, splitSentences } from '@toolfold/schema/internal';
import { getOrMake } from '../../values/get-or-make.js';
import { toObject } from './explanations.js';
import { choicesOf } from './widen-shape.js';

/** The action that declares the field; `undefined` for the common schema. */
type Owner = string | undefined;

interface FieldText {
  text: string;
  readonly owners: Owner[];
}

/**
 * The description of a field that several actions declare: the first one, then each different one with its actions, such as
 * `First day. In convert: Currency to convert from. Default in list: 10`.
 */
export function describeField(
  shapes: readonly JsonSchema[],
  owners: readonly Owner[],
  merged: JsonSchemaObject,
): string {
  const objects = shapes.map(toObject);
  const texts = objects.map((shape) => joinSentences(textOf(shape), lostChoices(shape, merged)));
  return joinSentences(...joinTexts(uniteTexts(texts, owners)), ...describeLost(objects, owners, merged));
}

function textOf({ description }: JsonSchemaObject): string {
  return typeof description === 'string' ? description.trim() : '';
}

const MAX_CHOICES = 20;

/** Names the choices of an action in words, if the merged shape accepts any text because other actions do. */
function lostChoices(shape: JsonSchemaObject, merged: JsonSchemaObject): string {
  if ('anyOf' in merged || choicesOf(merged)) return '';
  const choices = choicesOf(shape) ?? [];
  if (choices.length === 0 || choices.length > MAX_CHOICES) return '';
  const names = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  return `One of: ${names.join(', ')}`;
}

/**
 * Merges equal descriptions and keeps the longer text. Case, white space, articles, a final period and a remark in
 * parentheses make no difference.
 */
function uniteTexts(texts: readonly string[], owners: readonly Owner[]): FieldText[] {
  const exact = new Map<string, FieldText>();
  const plain = new Map<string, { readonly field: FieldText; hasRemark: boolean }>();
  for (const [index, text] of texts.entries()) {
    if (text === '') continue;
    const form = comparable(text);
    const plainForm = form.replace(/ ?\([^()]*\)/g, '');
    const hasRemark = plainForm !== form;
    const known = plain.get(plainForm);
    const same = exact.get(form) ?? (known && !(known.hasRemark && hasRemark) ? known.field : undefined);
    const field = same ?? { text, owners: [] };
    field.owners.push(owners[index]);
    if (text.length > field.text.length + 1) field.text = text;
    exact.set(form, field);
    if (!known) plain.set(plainForm, { field, hasRemark });
    else known.hasRemark ||= hasRemark;
  }
  return [...new Set(exact.values())];
}

/**
 * The first text, then the others with the names of their actions. Sentences of the first text that others repeat are listed once,
 * before the sentences that hold for some actions only.
 */
function joinTexts([first, ...others]: readonly FieldText[]): string[] {
  if (!first) return [];
  const sentences = sentencesOf(first.text);
  const forms = new Set(sentences.map(comparable));
  const repeated = new Set<string>();
  const exceptions = others.map(({ text, owners }) => {
    const own = sentencesOf(text).filter((sentence) => {
      const isKnown = forms.has(comparable(sentence));
      if (isKnown) repeated.add(comparable(sentence));
      return !isKnown;
    });
    return label(own, owners);
  });
  if (repeated.size === 0) return [first.text, ...exceptions];
  const shared = sentences.filter((sentence) => repeated.has(comparable(sentence)));
  const own = sentences.filter((sentence) => !repeated.has(comparable(sentence)));
  return [shared.join(' '), label(own, first.owners), ...exceptions];
}

/** The sentences of a text. A text of several lines is a single one, because its lines may be a list. */
function sentencesOf(text: string): string[] {
  return text.includes('\n') ? [text] : splitSentences(text);
}

function label(sentences: readonly string[], owners: readonly Owner[]): string {
  const names = owners.filter((owner) => owner !== undefined);
  if (sentences.length === 0 || names.length < owners.length) return sentences.join(' ');
  return `In ${names.join(', ')}: ${sentences.join(' ')}`;
}

/** Keywords that are written as words if they hold for some actions only. Titles are left out, because they repeat the name. */
const words = { default: 'Default', examples: 'Examples', deprecated: 'Deprecated' } as const;
/** Maximum length of a value that is written as words. */
const MAX_VALUE = 60;

/** The defaults, examples and deprecations that the merged shape cannot have, because they do not hold for all actions. */
function describeLost(
  shapes: readonly JsonSchemaObject[],
  owners: readonly Owner[],
  merged: JsonSchemaObject,
): string[] {
  return (Object.keys(words) as (keyof typeof words)[]).flatMap((keyword) => {
    if (Object.hasOwn(merged, keyword)) return [];
    const byValue = new Map<string, Owner[]>();
    for (const [index, shape] of shapes.entries()) {
      const value = valueOf(shape, keyword);
      if (value === undefined) continue;
      getOrMake(byValue, value, () => []).push(owners[index]);
    }
    return [...byValue].map(([value, users]) => {
      const names = users.filter((owner) => owner !== undefined);
      const where = names.length < users.length ? '' : ` in ${names.join(', ')}`;
      return `${words[keyword]}${where}${value === '' ? '' : `: ${value}`}`;
    });
  });
}

/** The text of a keyword's value; `undefined` if it is long, says nothing, or is part of the description. */
function valueOf(shape: JsonSchemaObject, keyword: keyof typeof words): string | undefined {
  const value = shape[keyword];
  if (keyword === 'deprecated') return value === true ? '' : undefined;
  const values = keyword === 'examples' && Array.isArray(value) ? value : [value];
  if (value === undefined || value === null || values.length === 0) return undefined;
  const description = textOf(shape);
  const isSaid = /\bdefault|\bsuch as|\be\.g\.|\bexample/i.test(description);
  if (isSaid && values.every((each) => description.includes(String(each)))) return undefined;
  const text = values.map((each) => JSON.stringify(each)).join(', ');
  return text.length > MAX_VALUE ? undefined : text;
}
