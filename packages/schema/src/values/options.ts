import { ErrInvalidOptions } from '../errors.js';
import type { ErrorOptions, ToolfoldError } from '../errors.js';
import { describeKind, isPromise } from './describe-value.js';
import { findUnsteadyField, isJsonObject, isPlainObject } from './json-value.js';
import { didYouMean, nearestName, suggestName } from './nearest-name.js';

/** A check of one option, and the words for what its value must be: `"must be ${expected}"`. */
export type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

export type Rules<Name extends string = string> = Readonly<Record<Name, Rule>>;

/** Overrides how mistakes are reported. */
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
  assertPlain(place, options, { error: Invalid, fields: rules });
  // A proxy can answer names that it does not list. A copy would lose their values, such as the `auth` of a server.
  const listed = Object.keys(options);
  const lost = Object.keys(rules).find(
    (name) => (options as Record<string, unknown>)[name] !== undefined && !listed.includes(name),
  );
  if (lost !== undefined)
    throw new Invalid(`${place} must be a plain object.`, {
      hint: `Got an object that does not list its "${lost}". Pass a plain object with its fields as values: { name: value }.`,
    });
  for (const [name, value] of Object.entries(options as Record<string, unknown>)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const details = { field: name };
    if (!rule)
      throw new Invalid(`${place} has no option "${name}".`, {
        ...suggestName(name, Object.keys(rules)),
        details,
      });
    const [isValid, expected] = rule;
    if (value !== undefined && !isValid(value))
      throw new Invalid(`${nameOf(name)} must be ${expected}.`, {
        hint: `${describeGiven(name, value, isValid)}${suggestChoice(value, expected)}`,
        details,
      });
  }
  for (const name of required) {
    if ((options as Record<string, unknown>)[name] !== undefined) continue;
    const [, expected] = rules[name] ?? anything;
    throw new Invalid(`${nameOf(name)} must be ${expected}.`, { details: { field: name } });
  }
}

/**
 * Throws unless a value is a plain object whose fields are values. Copies of other objects lose the fields of their class or prototype,
 * and a server without its `auth` serves everybody.
 */
export function assertPlain(
  place: string,
  options: unknown,
  { error: Invalid = ErrInvalidOptions, fields }: Pick<Reporting, 'error'> & { readonly fields?: Rules } = {},
): asserts options is object {
  if (isPlain(options)) return;
  const named = fields ? ` with ${Object.keys(fields).join(', ')}` : '';
  const expected = isJsonObject(options) && !isPromise(options) ? 'a plain object' : `an object${named}`;
  throw new Invalid(`${place} must be ${expected}.`, { hint: describeUnplain(options) });
}

/** Whether a value is a plain object without accessors and hidden fields. */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && !isPromise(value) && isPlainObject(value) && findUnsteadyField(value) === undefined;

/** Names an invalid value. If only its kind of object is wrong, also says what to write instead. */
function describeUnplain(value: unknown, isAdvised = true): string {
  if (!isJsonObject(value) || isPromise(value) || isPlain(value)) return `Got ${describeKind(value)}.`;
  const field = isPlainObject(value) ? findUnsteadyField(value) : undefined;
  const kind = describeKind(value).replace(/^an (empty )?object\b.*/, 'an object that inherits fields');
  const given = field === undefined ? kind : `an object whose "${field}" is an accessor or hidden`;
  return `Got ${given}.${isAdvised ? ' Pass a plain object with its fields as values: { name: value }.' : ''}`;
}

/**
 * Describes the given value and, if it is almost right, what to write instead. The only texts that it shows are numbers, because
 * other texts may be secret.
 */
function describeGiven(name: string, value: unknown, isValid: Rule[0]): string {
  if (isPromise(value)) return `Got a promise. Write ${name}: await ….`;
  // Environment variables are text.
  const isNumber = typeof value === 'string' && value.trim() !== '' && isValid(Number(value));
  if (!isNumber) return describeUnplain(value, isValid === isPlain);
  return `Got the text "${value}". Write ${name}: ${Number(value)}, or Number(…) around the text.`;
}

/** The choice that a misspelt text is most similar to. The text itself is not shown. */
function suggestChoice(value: unknown, expected: string): string {
  const choices = Array.from(expected.matchAll(/"([^"]+)"/g), ([, choice = '']) => choice);
  if (typeof value !== 'string') return '';
  // Choices with the same beginning count as similar too: `grouping` for `grouped`.
  const similar =
    nearestName(value, choices) ?? choices.find((choice) => value.startsWith(choice.slice(0, 4)));
  return didYouMean(similar);
}

/** Creates the error for one option, for checks that a rule cannot express. `place` is, for example, `oauth({ issuer })`. */
export function invalidOption(place: string, expected: string, hint?: string): ErrInvalidOptions {
  return new ErrInvalidOptions(`${place} must be ${expected}.`, hint === undefined ? {} : { hint });
}

/** `setTimeout` fires immediately if the delay is 2^31 ms or more. */
const LONGEST_TIMER = 2 ** 31;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** An empty entry would name nothing, and a filter that names nothing would let everything through. */
const isListOfNames = (value: unknown): boolean =>
  // `every` skips the holes of a list, and a copy does not have them.
  Array.isArray(value) && [...(value as unknown[])].every((item) => isText(item) && item.trim() !== '');
export const isFunction = (value: unknown): boolean => typeof value === 'function';

export const anything: Rule = [() => true, 'any value'];
export const flag: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const callback: Rule = [isFunction, 'a function'];
export const text: Rule = [isText, 'text'];
export const names: Rule = [isListOfNames, 'a list of names'];
/** `kind` is the plural of what the list contains, such as names, tags or addresses. */
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

/** `expected` describes the object in error messages. */
export const record = (expected: string): Rule => [isPlain, expected];

/** `expected` describes the object in error messages. */
export const objectLike = (expected: string): Rule => [
  (value) => typeof value === 'object' && value !== null && !isPromise(value),
  expected,
];

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

/** Plain http is secure on localhost only. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && localNames.has(hostname));
}

/** Reads an address that `isSecure` accepts, without query, fragment and credentials. */
export function readAddress(place: string, value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !isSecure(url)) throw invalidOption(place, 'an https address, or one of http on localhost');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw invalidOption(place, 'an address without query, fragment and credentials');
  return url;
}

export function assertTtl(ttlMs: number): void {
  if (!Number.isFinite(ttlMs) || ttlMs <= 0)
    throw invalidOption('ttlMs', `a finite number above 0, not ${ttlMs}`);
}

/** Whether an import failed because the package is not installed. */
export function isNotFound(thrown: unknown): boolean {
  return (thrown as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
}

/** Creates the error of a function that needs an optional package. */
export function notInstalled(place: string, name: string, cause: unknown): ErrInvalidOptions {
  return new ErrInvalidOptions(`${place} needs the package ${name}.`, {
    hint: `Install it: npm install ${name}`,
    cause,
  });
}
