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

/** Whether a number is a multiple of another as written in decimal, so that 19.99 is one of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const shift = BigInt(Math.abs(exponent - divisorExponent));
  return exponent >= divisorExponent
    ? (digits * 10n ** shift) % divisorDigits === 0n
    : digits % (divisorDigits * 10n ** shift) === 0n;
}

/** The shortest decimal that is this number, as digits × 10^exponent. */
function toDecimal(value: number): [digits: bigint, exponent: number] {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** The length of a text as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
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
