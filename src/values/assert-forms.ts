import type { ToolfoldError } from '../errors.js';
import { isJsonObject } from './json-value.js';
import { suggestName } from './nearest-name.js';

/** What each key of an object must be. */
export type Forms<K extends string> = Readonly<
  Record<K, readonly [check: (value: unknown) => boolean, expected: string]>
>;

/** How mistakes are told. */
interface Telling {
  readonly error: new (message: string, options?: { readonly hint?: string }) => ToolfoldError;
  /** What it is, as a sentence begins with it: `A view policy`. */
  readonly whole: string;
  /** What one key of it is called: `exposurePolicy.readOnly`. */
  readonly key: (name: string) => string;
}

/** Throws on a key that is not known or cannot be. What an operator wrote must not be more open than it looks. */
export function assertForms<K extends string>(
  given: unknown,
  forms: Forms<K>,
  { error: Slip, whole, key }: Telling,
): void {
  if (!isJsonObject(given)) throw new Slip(`${whole} is an object.`);
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(forms, name) ? forms[name as K] : undefined;
    if (!form) {
      throw new Slip(`${whole} has no "${name}".`, suggestName(name, Object.keys(forms)));
    }
    const [check, expected] = form;
    if (value !== undefined && !check(value)) throw new Slip(`${key(name)} must be ${expected}.`);
  }
}

export const isFlag = (value: unknown): boolean => typeof value === 'boolean';
export const isFunction = (value: unknown): boolean => typeof value === 'function';
/** For policies: an empty entry would name nothing, and a filter that names nothing would let everything through. */
export const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== '');
