import { codecId } from './codecs.js';

let known = new WeakMap<object, string>();

/** Forgets the keys of earlier schemas, because their authors may have changed the schemas since. */
export function forgetKeys(): void {
  known = new WeakMap();
}

/**
 * Returns a short text that is equal for equal JSON. It is a hash of the keys of all parts. Keys are remembered, because
 * lowering compares the same parts on every level of an untrusted schema.
 */
export function schemaKey(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return value === 0 ? '0' : short(String(JSON.stringify(value)));
  const earlier = known.get(value);
  if (earlier !== undefined) return earlier;
  const key = short(Array.isArray(value) ? `[${value.map(schemaKey).join(',')}]` : objectKey(value));
  known.set(value, key);
  return key;
}

function objectKey(value: object): string {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${entries
    .map(([name, part]) => `${JSON.stringify(name)}:${schemaKey(part)}`)
    .toSorted()
    .join(',')}}`;
}

function short(text: string): string {
  return text.length > 80 ? `#${codecId(text)}` : text;
}
