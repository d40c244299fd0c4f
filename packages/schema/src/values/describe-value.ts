import { isObject } from './json-value.js';
import { clip } from './nearest-name.js';

const MAX_KEYS = 6;

/** Names a value that was passed by mistake, for an error message: `a promise`, `the text "a"`, `an object with name, args`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(clip(value, 40))}`;
  if (typeof value === 'number') return `the number ${value}`;
  return describeKind(value);
}

/** Names a value like `describeValue`, but shows no text, because options may hold secrets. */
export function describeKind(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : `the number ${value}`;
  if (typeof value === 'function') return describeFunction(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return `a ${typeof value}`;
  if (!isObject(value)) return String(value);
  if (isPromise(value)) return 'a promise';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return describeObject(value);
}

/** Whether a value is a promise, also one of another realm. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}

function describeFunction(value: object): string {
  const { name } = value as { name?: unknown };
  const kind = isClass(value) ? 'the class' : 'the function';
  if (typeof name === 'string' && name !== '') return `${kind} ${clip(name, 40)}`;
  return kind === 'the class' ? 'a class' : 'a function';
}

/** Whether a function is a class, which only `new` can call. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function describeObject(value: object): string {
  const { name: constructorName } = Object(value.constructor) as { name?: unknown };
  if (typeof constructorName === 'string' && constructorName !== '' && constructorName !== 'Object') {
    const { name } = value as { name?: unknown };
    const article = /^[AEIO]/i.test(constructorName) ? 'an' : 'a';
    if (typeof name !== 'string' || name === '' || value instanceof Error)
      return `${article} ${constructorName}`;
    return `the ${constructorName} ${JSON.stringify(clip(name, 40))}`;
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const more = keys.length > MAX_KEYS ? ' …' : '';
  return `an object with ${keys.slice(0, MAX_KEYS).join(', ')}${more}`;
}
