import { itemField } from './field.js';
import type { ArrayField, Field, ObjectField, UnionField } from './field.js';
import { isRecord, isSame, parseJson, setOwn } from './json.js';
import type { Json } from './json.js';
import { checkDraft } from './check-draft.js';

/** The input for a field. `undefined` means that the field is empty and is not sent. */
export type Draft =
  | undefined
  /** Text as typed, also for numbers. */
  | { readonly text: string }
  | { readonly value: Json; readonly file?: { readonly name: string; readonly size: number } }
  | { readonly fields: Readonly<Record<string, Draft>>; readonly extra: readonly Entry[] }
  | { readonly items: readonly Item[] }
  | { readonly option: number; readonly draft: Draft }
  /** JSON text: for schemas without a control, and for values that do not fit their schema. */
  | { readonly raw: string };

/** An additional entry of an object, besides its named properties. */
export interface Entry {
  readonly id: number;
  readonly key: string;
  readonly draft: Draft;
}

export interface Item {
  readonly id: number;
  readonly draft: Draft;
}

/** Starts at the current time, so that new ids never equal those of drafts restored after a reload. */
let lastId = Date.now();
/** Returns an id that identifies an item when it is moved. */
export const nextId = (): number => ++lastId;

/** Maximum nesting of required parts that are filled in at once, because a schema may require itself. */
const MAX_INITIAL_DEPTH = 6;
/** Maximum number of controls that a new draft opens, because browsers freeze with many thousands. */
const MAX_INITIAL_PARTS = 500;

/**
 * Returns the draft of an untouched field: with its constants and required parts, and otherwise empty. Nested parts
 * share `parts` equally, so that a part with many fields does not leave later parts empty.
 */
export function initialDraft(field: Field, depth = 0, parts = MAX_INITIAL_PARTS): Draft {
  if (field.kind === 'const') return { value: field.value };
  if (depth > MAX_INITIAL_DEPTH) return undefined;
  const open = (nested: readonly Field[], size: number): readonly Draft[] => {
    const share = (parts - size) / Math.max(1, nested.filter(isNested).length);
    return nested.map((each) => initialDraft(each, depth + 1, share));
  };
  if (field.kind === 'object') {
    if (field.properties.length > parts) return undefined;
    const required = field.properties.filter(({ isRequired }) => isRequired);
    const drafts = open(
      required.map(({ field: read }) => read()),
      field.properties.length,
    );
    const fields: Record<string, Draft> = {};
    for (const [index, { name }] of required.entries()) setOwn(fields, name, drafts[index]);
    return { fields, extra: [] };
  }
  if (field.kind === 'array') {
    const first = field.first.slice(0, field.minItems ?? 0);
    if (first.length > parts) return undefined;
    const drafts = open(
      first.map((read) => read()),
      first.length,
    );
    return { items: drafts.map((draft) => ({ id: nextId(), draft })) };
  }
  if (field.kind === 'union') {
    const [first] = field.options;
    return first && { option: 0, draft: initialDraft(first.field(), depth + 1, parts - 1) };
  }
  return undefined;
}

function isNested({ kind }: Field): boolean {
  return kind === 'object' || kind === 'array' || kind === 'union';
}

/** Number of further alternatives to try for a value. It is limited, because nested unions multiply them. */
interface Trials {
  left: number;
}

/** After this many trials, the first possible alternative is used. */
const MAX_TRIALS = 5_000;
const allTrials = (): Trials => ({ left: MAX_TRIALS });

/**
 * Returns a draft for any value. A value that does not fit is shown as JSON. Parts that have not changed since the
 * draft `before` keep their drafts.
 */
export function toDraft(field: Field, value: Json | undefined, before?: Draft, trials = allTrials()): Draft {
  if (value === undefined) return undefined;
  if (before !== undefined && !('raw' in before) && isSame(toValue(field, before), value)) return before;
  if (value === null && field.isNullable) return { value: null };
  return fitDraft(field, value, before, trials) ?? { raw: JSON.stringify(value, undefined, 2) };
}

function fitDraft(field: Field, value: Json, before?: Draft, trials = allTrials()): Draft {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? { text: value } : undefined;
    case 'number':
      return typeof value === 'number' ? { text: JSON.stringify(value) } : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? { value } : undefined;
    case 'file':
      return typeof value === 'string' ? { value } : undefined;
    case 'const':
      return isSame(field.value, value) ? { value } : undefined;
    case 'choice':
      return field.options.some((option) => isSame(option.value, value)) ? { value } : undefined;
    case 'object':
      return isRecord(value) ? objectDraft(field, value as Record<string, Json>, before, trials) : undefined;
    case 'array':
      return Array.isArray(value) ? arrayDraft(field, value as Json[], before, trials) : undefined;
    case 'union':
      return unionDraft(field, value, before, trials);
    case 'raw':
      return { raw: JSON.stringify(value, undefined, 2) };
  }
}

function objectDraft(
  field: ObjectField,
  value: Readonly<Record<string, Json>>,
  before: Draft,
  trials: Trials,
): Draft {
  const old = before !== undefined && 'fields' in before ? before.fields : {};
  const fields: Record<string, Draft> = {};
  const extra: Entry[] = [];
  const known = new Map(field.properties.map((property) => [property.name, property]));
  for (const [key, each] of Object.entries(value)) {
    const property = known.get(key);
    if (property)
      setOwn(
        fields,
        key,
        toDraft(property.field(), each, Object.hasOwn(old, key) ? old[key] : undefined, trials),
      );
    else if (field.additional === false)
      extra.push({ id: nextId(), key, draft: { raw: JSON.stringify(each, undefined, 2) } });
    else extra.push({ id: nextId(), key, draft: toDraft(field.additional(), each, undefined, trials) });
  }
  return { fields, extra };
}

function arrayDraft(field: ArrayField, value: readonly Json[], before: Draft, trials: Trials): Draft {
  const old = before !== undefined && 'items' in before ? before.items : [];
  return {
    items: value.map((each, index) => {
      const read = itemField(field, index);
      return {
        id: nextId(),
        draft: read
          ? toDraft(read(), each, old[index]?.draft, trials)
          : { raw: JSON.stringify(each, undefined, 2) },
      };
    }),
  };
}

/**
 * Chooses the alternative that the value fits without a problem. Otherwise the constants of the alternatives decide, such as
 * `method: "card"`, and then the number of problems. The alternative of the draft `before` comes first. Alternatives that the value
 * contradicts at once are tried only if it contradicts all of them.
 */
function unionDraft(field: UnionField, value: Json, before: Draft, trials: Trials): Draft {
  const old = before !== undefined && 'option' in before ? before : undefined;
  const isOld = (option: number): boolean => option === old?.option;
  const all = field.options
    .map(({ field: read }, option) => ({ option, alternative: read() }))
    .toSorted((a, b) => Number(isOld(b.option)) - Number(isOld(a.option)));
  const possible = all.filter(({ alternative }) => !contradicts(alternative, value));
  let best: { readonly draft: Draft; readonly matches: number; readonly problems: number } | undefined;
  for (const [index, { option, alternative }] of (possible.length > 0 ? possible : all).entries()) {
    if (index > 0 && trials.left-- <= 0) break;
    const draft =
      value === null && alternative.isNullable
        ? { value }
        : fitDraft(alternative, value, isOld(option) ? old?.draft : undefined, trials);
    if (draft === undefined) continue;
    const problems = checkDraft(alternative, draft).length;
    if (problems === 0) return { option, draft };
    const matches = matchConstants(alternative, value);
    if (!best || matches > best.matches || (matches === best.matches && problems < best.problems))
      best = { draft: { option, draft }, matches, problems };
  }
  return best?.draft;
}

/** Whether an object lacks a required property, or has a single value of another kind. Does not look into nested values. */
function contradicts(field: Field, value: Json): boolean {
  if (field.kind !== 'object' || !isRecord(value)) return false;
  return field.properties.some(({ name, isRequired, field: read }) => {
    if (!Object.hasOwn(value, name)) return isRequired;
    const property = read();
    const each = value[name] as Json;
    if (isNested(property) || (each === null && property.isNullable)) return false;
    return fitDraft(property, each) === undefined;
  });
}

/**
 * Scores how well a value fits an object: the number of matching constants and choices minus the number of mismatches.
 */
function matchConstants(field: Field, value: Json): number {
  if (field.kind !== 'object' || !isRecord(value)) return 0;
  return field.properties.reduce((sum, { name, field: read }) => {
    const property = Object.hasOwn(value, name) ? read() : undefined;
    if (property?.kind !== 'const' && property?.kind !== 'choice') return sum;
    return sum + (fitDraft(property, value[name] as Json) === undefined ? -1 : 1);
  }, 0);
}

/** Changes the alternative of a union, and keeps the values that fit the new one. */
export function chooseOption(field: UnionField, draft: Draft, option: number): Draft {
  const chosen = field.options[option]?.field();
  if (!chosen) return draft;
  const before = toValue(field, draft);
  const fresh = initialDraft(chosen);
  if (before === undefined) return { option, draft: fresh };
  if (chosen.kind === 'object' && isRecord(before)) {
    const names = new Set(chosen.properties.map(({ name }) => name));
    const kept = Object.entries(before as Record<string, Json>).flatMap(([key, each]) => {
      const property = chosen.properties.find(({ name }) => name === key);
      const moved = property && fitDraft(property.field(), each);
      return names.has(key) && moved !== undefined ? [[key, moved] as const] : [];
    });
    const base = fresh && 'fields' in fresh ? fresh : { fields: {}, extra: [] };
    return { option, draft: { ...base, fields: { ...base.fields, ...Object.fromEntries(kept) } } };
  }
  return { option, draft: fitDraft(chosen, before) ?? fresh };
}

/**
 * Returns the value that a draft sends. Omits text that is not a value, such as `12a` for a number; `checkDraft`
 * reports it.
 */
export function toValue(field: Field, draft: Draft): Json | undefined {
  if (draft === undefined) return undefined;
  if ('raw' in draft) {
    const parsed = parseJson(draft.raw);
    return parsed.ok ? parsed.value : undefined;
  }
  if ('value' in draft) return draft.value;
  if ('text' in draft) return field.kind === 'number' ? readNumber(draft.text) : draft.text;
  if ('option' in draft) {
    if (field.kind !== 'union') return undefined;
    const chosen = field.options[draft.option];
    return chosen && toValue(chosen.field(), draft.draft);
  }
  if ('items' in draft) {
    if (field.kind !== 'array') return undefined;
    return draft.items.flatMap((item, index) => {
      const read = itemField(field, index);
      const value = toValue(read ? read() : unknownField, item.draft);
      // A list cannot have gaps, so an empty item becomes null, which `checkDraft` reports.
      return [value ?? null];
    });
  }
  if (field.kind !== 'object') return undefined;
  return objectValue(field, draft);
}

function objectValue(
  field: ObjectField,
  { fields, extra }: { readonly fields: Readonly<Record<string, Draft>>; readonly extra: readonly Entry[] },
): Json {
  const result: Record<string, Json> = {};
  for (const { name, field: read } of field.properties) {
    const value = Object.hasOwn(fields, name) ? toValue(read(), fields[name]) : undefined;
    if (value !== undefined) setOwn(result, name, value);
  }
  for (const { key, draft } of extra) {
    const value = toValue(field.additional === false ? unknownField : field.additional(), draft);
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

/** Reads a number in decimal or exponential notation. Returns `undefined` for other text. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}

/** The field for values that the schema does not declare. */
export const unknownField: Field = {
  kind: 'raw',
  isAnything: true,
  examples: [],
  isDeprecated: false,
  isNullable: false,
  unchecked: [],
};
