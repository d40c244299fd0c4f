const FIELD = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;

type FieldPlace = 'path' | 'query' | 'header' | 'cookie' | 'body';

/** A name belongs to the first of these places that uses it. */
export const places: readonly FieldPlace[] = ['path', 'query', 'header', 'cookie', 'body'];

/** Grouped tools select their action by this argument, so no field can have its name. */
const DISCRIMINATOR = 'action';

export interface WantedField {
  readonly name: string;
  readonly place: FieldPlace;
}

/**
 * Names the field of the flat input for each parameter and property. A name is kept if clients accept it and no earlier place uses it.
 * Otherwise the place is appended: `id_query`, `id_body`.
 */
export function nameFields<T extends WantedField>(wanted: readonly T[]): Map<T, string> {
  const named = new Map<T, string>();
  const taken = new Set<string>([DISCRIMINATOR]);
  const ordered = wanted.toSorted((left, right) => places.indexOf(left.place) - places.indexOf(right.place));
  // Names that need no change come first, so that a changed name never displaces them.
  for (const isPlain of [true, false]) {
    for (const field of ordered) {
      if (FIELD.test(field.name) !== isPlain) continue;
      const name = freeName(portable(field.name), field.place, taken);
      taken.add(name);
      named.set(field, name);
    }
  }
  return named;
}

/** Replaces characters that clients reject: `filter[name]` becomes `filter_name`. */
function portable(name: string): string {
  if (FIELD.test(name)) return name;
  const clean = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return clean.slice(0, MAX_LENGTH) || 'field';
}

function freeName(name: string, place: FieldPlace, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const withEnding = (ending: string): string => name.slice(0, MAX_LENGTH - ending.length) + ending;
  for (let count = 1; ; count++) {
    const next = withEnding(count === 1 ? `_${place}` : `_${place}_${count}`);
    if (!taken.has(next)) return next;
  }
}
