/** Also true for arrays. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** False for arrays. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object is a plain object, of this realm or another, and not an instance of a class. */
export function isPlainObject(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || prototype === Object.prototype) return true;
  // This is `Object.prototype` of another realm, not an author's object without a prototype.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Finds a field that is computed by an accessor or hidden from copies, so that a copy could have another value or none. */
export function findUnsteadyField(value: object): string | undefined {
  return Object.getOwnPropertyNames(value).find((name) => {
    const field = Object.getOwnPropertyDescriptor(value, name);
    return field?.enumerable !== true || !('value' in field);
  });
}

/** Freezes an object and all objects in it, except those that are already frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) deepFreeze(entry);
  return value;
}

/**
 * Returns text that is equal for equal JSON values and differs for others, regardless of the order of keys. Reads own keys only,
 * because data may contain names such as `valueOf`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = presentKeys(value as Record<string, unknown>)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
    return `{${entries.join(',')}}`;
  }
  // JSON does not distinguish 0 and -0.
  if (value === 0) return '0';
  return typeof value === 'bigint' ? `${value}n` : String(JSON.stringify(value));
}

/**
 * Returns a function that tests whether a value equals one of the choices. Its time depends on the choices alone, because it
 * stops reading a value that is longer than the longest choice.
 */
export function isOneOf(choices: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(choices.filter((choice) => typeof choice !== 'object' || choice === null));
  const texts = new Set(
    choices
      .filter((choice) => typeof choice === 'object' && choice !== null)
      .map((choice) => canonicalJson(choice)),
  );
  const longest = Math.max(0, ...Array.from(texts, (text) => text.length));
  return (value) => {
    if (typeof value !== 'object' || value === null) return scalars.has(value);
    return texts.size > 0 && isShorter(value, longest) && texts.has(canonicalJson(value));
  };
}

/** Whether the canonical text of a value can be at most this long. */
function isShorter(value: unknown, length: number): boolean {
  const measure = (part: unknown, left: number): number => {
    if (left < 0) return left;
    if (typeof part === 'string') return left - part.length - 2;
    if (typeof part !== 'object' || part === null) return left - 1;
    let rest = left - 2;
    if (Array.isArray(part)) {
      if (part.length > rest) return -1;
      for (const item of part) if ((rest = measure(item, rest)) < 0) return rest;
      return rest;
    }
    for (const key in part) {
      const entry = (part as Record<string, unknown>)[key];
      if (entry === undefined || !Object.hasOwn(part, key)) continue;
      if ((rest = measure(entry, rest - key.length - 3)) < 0) return rest;
    }
    return rest;
  };
  return measure(value, length) >= 0;
}

/** Whether a number is a multiple of another in decimal notation, in which 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const shift = Math.abs(exponent - divisorExponent);
  // Most numbers have few digits. Longer ones need BigInt.
  const left = exponent >= divisorExponent ? scale(digits, shift) : Number(digits);
  const right = exponent >= divisorExponent ? Number(divisorDigits) : scale(divisorDigits, shift);
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left % right === 0;
  const factor = 10n ** BigInt(shift);
  return exponent >= divisorExponent
    ? (BigInt(digits) * factor) % BigInt(divisorDigits) === 0n
    : BigInt(digits) % (BigInt(divisorDigits) * factor) === 0n;
}

function scale(digits: string, shift: number): number {
  return shift > 15 ? Infinity : Number(digits) * 10 ** shift;
}

/** Returns the shortest decimal notation of a number, as digits × 10^exponent. */
function toDecimal(value: number): [digits: string, exponent: number] {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [whole + fraction, Number(exponent) - fraction.length];
}

/** Counts the code points of a text, which is how JSON Schema defines its length. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    // A surrogate pair is one code point.
    if ((text.charCodeAt(at) & 0xfc_00) !== 0xd8_00 || (text.charCodeAt(at + 1) & 0xfc_00) !== 0xdc_00)
      continue;
    count--;
    at++;
  }
  return count;
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function presentKeys(data: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(data).filter((key) => data[key] !== undefined);
}
