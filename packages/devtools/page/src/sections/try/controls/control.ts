import { countOf } from '../../../ui/figures.js';
import type { Path, Problem } from '../form/check-draft.js';
import type { Draft } from '../form/draft.js';
import type { Field, NumberField, TextField } from '../form/field.js';

/** Common properties of all controls. */
export interface ControlOf<F extends Field> {
  readonly field: F;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly path: Path;
  readonly problems: ProblemMap;
  readonly label: string;
  readonly isRequired: boolean;
}

/** Problems by the key of their path. */
type ProblemMap = ReadonlyMap<string, readonly string[]>;

export function toProblemMap(problems: readonly Problem[]): ProblemMap {
  const map = new Map<string, string[]>();
  for (const { path, message } of problems) {
    const key = keyOf(path);
    map.set(key, [...(map.get(key) ?? []), message]);
  }
  return map;
}

/** Converts a path to a key. Indexes become text, because servers may write them as numbers or as text. */
export function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

export function problemAt(problems: ProblemMap, path: Path): string | undefined {
  return problems.get(keyOf(path))?.join('; ');
}

/** Describes the kind and limits of a value in a few words, for its label. */
export function wordsFor(field: Field): string {
  const words = [kindOf(field), ...limitsOf(field)];
  if (field.isNullable) words.push('or null');
  return words.join(', ');
}

function kindOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      return field.format ?? 'text';
    case 'number':
      return field.isInteger ? 'whole number' : 'number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return 'choice';
    case 'const':
      return 'fixed';
    case 'file':
      return field.mediaType === undefined ? 'file' : `file, ${field.mediaType}`;
    case 'object':
      return 'object';
    case 'array':
      return field.first.length > 0 ? 'tuple' : 'list';
    case 'union':
      return 'one of several';
    case 'raw':
      return 'JSON';
  }
}

function limitsOf(field: Field): readonly string[] {
  if (field.kind === 'text') return range(field.minLength, field.maxLength, 'character');
  if (field.kind === 'array') return range(field.minItems, field.maxItems, 'item');
  if (field.kind !== 'number') return [];
  return numberLimits(field);
}

/** Whether the author set the limit. Generators of schemas write the largest safe integers where there is none. */
function isReal(limit: number | undefined): boolean {
  return limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}

function numberLimits(field: NumberField): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  return [
    ...(isReal(minimum) && isReal(maximum) ? [`${minimum}–${maximum}`] : []),
    ...(isReal(minimum) && !isReal(maximum) ? [`at least ${minimum}`] : []),
    ...(!isReal(minimum) && isReal(maximum) ? [`at most ${maximum}`] : []),
    ...(isReal(exclusiveMinimum) ? [`more than ${exclusiveMinimum}`] : []),
    ...(isReal(exclusiveMaximum) ? [`less than ${exclusiveMaximum}`] : []),
    ...(multipleOf === undefined || multipleOf === 1 ? [] : [`multiple of ${multipleOf}`]),
  ];
}

function range(min: number | undefined, max: number | undefined, noun: string): readonly string[] {
  if (min !== undefined && min > 0 && max !== undefined)
    return [min === max ? countOf(min, noun) : `${min}–${max} ${noun}s`];
  if (max !== undefined) return [`at most ${countOf(max, noun)}`];
  return min === undefined || min === 0 ? [] : [`at least ${countOf(min, noun)}`];
}

/** Returns the placeholder of an empty control: its default, an example, or `unset`. */
export function placeholderOf(field: Field, isRequired: boolean): string {
  if (field.default !== undefined) return `default: ${short(field.default)}`;
  const [example] = field.examples;
  if (example !== undefined) return `such as ${short(example)}`;
  if (field.kind === 'text' && field.format !== undefined) return formatExamples[field.format] ?? '';
  return isRequired ? '' : 'unset';
}

const formatExamples: Readonly<Record<TextField['format'] & string, string>> = {
  'date-time': '2026-03-01T12:30:00Z',
  time: '12:30:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

const MAX_SHORT = 60;

function short(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_SHORT ? `${text.slice(0, MAX_SHORT)}…` : text;
}
