/** An object, but not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object is a bare record, of this realm or another, and no instance of a class. */
export function isPlainObject(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * A text that is equal for equal JSON values and differs for others, whatever the order of keys. Own keys
 * only, so that data may use names such as `valueOf` and `constructor`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = presentKeys(value as Record<string, unknown>)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
    return `{${entries.join(',')}}`;
  }
  // JSON has one zero.
  if (value === 0) return '0';
  return typeof value === 'bigint' ? `${value}n` : String(JSON.stringify(value));
}

/**
 * A function that tells whether a value equals one of the choices. Its time depends on the choices alone: a value that
 * is longer than the longest of them is not read to its end.
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

/** Whether the text of a value can be as short as this. */
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

/** Whether a number is a multiple of another as written in decimal, so that 19.99 is one of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const shift = Math.abs(exponent - divisorExponent);
  // Most numbers have few digits. Others need whole numbers of any length.
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

/** The shortest decimal that is this number, as digits × 10^exponent. */
function toDecimal(value: number): [digits: string, exponent: number] {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [whole + fraction, Number(exponent) - fraction.length];
}

/** The length of a text as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    // The first half of a pair, followed by the second.
    if ((text.charCodeAt(at) & 0xfc_00) !== 0xd8_00 || (text.charCodeAt(at + 1) & 0xfc_00) !== 0xdc_00)
      continue;
    count--;
    at++;
  }
  return count;
}

/** The JSON type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The keys of an object that JSON would not leave out. */
export function presentKeys(data: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(data).filter((key) => data[key] !== undefined);
}
