import { ErrInvalidOptions } from '../errors.js';
import type { ErrorOptions, ToolfoldError } from '../errors.js';
import { describeKind, isPromise } from './describe-value.js';
import { isJsonObject } from './json-value.js';
import { suggestName } from './nearest-name.js';

/** A check of one option, and the words for what its value must be: `"must be ${expected}"`. */
export type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

/** One rule for each option that exists. */
export type Rules<Name extends string = string> = Readonly<Record<Name, Rule>>;

/** How mistakes are reported, where the defaults do not fit. */
interface Reporting {
  /** Default: `ErrInvalidOptions`. */
  readonly error?: new (message: string, options?: ErrorOptions) => ToolfoldError;
  /** How a message names one option. Default: `place: name`. */
  readonly nameOf?: (name: string) => string;
  /** Options that must be given. Default: none. */
  readonly required?: readonly string[];
}

/**
 * Throws on an option that is unknown or invalid, because a typing mistake must not leave a server more open than its
 * configuration looks. `place` begins the message: `serveHttp`, `The view policy`.
 */
export function assertOptions(
  place: string,
  options: unknown,
  rules: Rules,
  {
    error: Invalid = ErrInvalidOptions,
    nameOf = (name) => `${place}: ${name}`,
    required = [],
  }: Reporting = {},
): void {
  const known = Object.keys(rules);
  if (!isJsonObject(options) || isPromise(options))
    throw new Invalid(`${place} must be an object with ${known.join(', ')}.`, {
      hint: `Got ${describeKind(options)}.`,
    });
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const details = { field: name };
    if (!rule)
      throw new Invalid(`${place} has no option "${name}".`, { ...suggestName(name, known), details });
    const [isValid, expected] = rule;
    if (value !== undefined && !isValid(value))
      throw new Invalid(`${nameOf(name)} must be ${expected}.`, {
        hint: describeGiven(name, value, isValid),
        details,
      });
  }
  for (const name of required) {
    if (options[name] !== undefined) continue;
    const [, expected] = rules[name] ?? anything;
    throw new Invalid(`${nameOf(name)} must be ${expected}.`, { details: { field: name } });
  }
}

/** Says what an option got and, if it is almost right, what to write. Of texts it shows only such numbers, because others may be secret. */
function describeGiven(name: string, value: unknown, isValid: Rule[0]): string {
  if (isPromise(value)) return `Got a promise. Write ${name}: await ….`;
  // Environment variables are text.
  const isNumber = typeof value === 'string' && value.trim() !== '' && isValid(Number(value));
  if (!isNumber) return `Got ${describeKind(value)}.`;
  return `Got the text "${value}". Write ${name}: ${Number(value)}, or Number(…) around the text.`;
}

/** The error for one option, for checks that a rule cannot express. `place` is `oauth({ issuer })` or the like. */
export function invalidOption(place: string, expected: string, hint?: string): ErrInvalidOptions {
  return new ErrInvalidOptions(`${place} must be ${expected}.`, hint === undefined ? {} : { hint });
}

/** `setTimeout` fires immediately if the delay is 2^31 ms or more. */
const LONGEST_TIMER = 2 ** 31;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** An empty entry would name nothing, and a filter that names nothing would let everything through. */
const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => isText(item) && item.trim() !== '');
export const isFunction = (value: unknown): boolean => typeof value === 'function';

export const anything: Rule = [() => true, 'any value'];
export const flag: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const callback: Rule = [isFunction, 'a function'];
export const text: Rule = [isText, 'text'];
export const names: Rule = [isListOfNames, 'a list of names'];
/** A list without empty entries of what `kind` says: names, tags, addresses. */
export const listOf = (kind: string): Rule => [isListOfNames, `a list of ${kind} without empty entries`];
export const count: Rule = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  'a whole number of at least 1',
];
export const countOrNone: Rule = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'a whole number of at least 0',
];
export const share: Rule = [
  (value) => typeof value === 'number' && value > 0 && value <= 1,
  'a number above 0 and at most 1',
];
export const durationMs: Rule = [
  (value) => typeof value === 'number' && value >= 0 && value < LONGEST_TIMER,
  'milliseconds of at least 0 and below 2^31',
];
export const positiveMs: Rule = [
  (value) => typeof value === 'number' && value > 0 && value < LONGEST_TIMER,
  'milliseconds above 0 and below 2^31',
];

/** An object that is not a list. `expected` says which. */
export const record = (expected: string): Rule => [isJsonObject, expected];

/** Any object. `expected` says which. */
export const objectLike = (expected: string): Rule => [
  (value) => typeof value === 'object' && value !== null && !isPromise(value),
  expected,
];

/** One of these texts. */
export const oneOf = (...allowed: readonly string[]): Rule => [
  (value) => (allowed as readonly unknown[]).includes(value),
  allowed.map((value) => `"${value}"`).join(' or '),
];

/** An object with these methods, whatever its class. */
export const withMethods = (...methods: readonly string[]): Rule => [
  (value) => methods.every((method) => isFunction((Object(value) as Record<string, unknown>)[method])),
  `an object with the methods ${methods.map((method) => `${method}()`).join(', ')}`,
];

const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL uses https, or http on localhost. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && localNames.has(hostname));
}

/** Reads an https URL, or http on localhost, without query, fragment and credentials. */
export function readAddress(place: string, value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !isSecure(url)) throw invalidOption(place, 'an https address, or one of http on localhost');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw invalidOption(place, 'an address without query, fragment and credentials');
  return url;
}

/** Throws unless the lifetime of a stored value is usable. */
export function assertTtl(ttlMs: number): void {
  if (!Number.isFinite(ttlMs) || ttlMs <= 0)
    throw invalidOption('ttlMs', `a finite number above 0, not ${ttlMs}`);
}
