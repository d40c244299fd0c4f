/**
 * A text that is equal for equal JSON values and differs for others, whatever the order of keys. Own keys
 * only, so that data may use names such as `valueOf` and `constructor`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
    return `{${entries.join(',')}}`;
  }
  // JSON has one zero.
  return value === 0 ? '0' : String(JSON.stringify(value));
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

/** The keys and indexes that a JSON pointer follows through a value, and what it finds there. */
export function followData(pointer: string, start: unknown): { path: (string | number)[]; value: unknown } {
  let value = start;
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const inArray = Array.isArray(value);
      value = (value as Record<string, unknown> | null | undefined)?.[key];
      return inArray ? Number(key) : key;
    });
  return { path, value };
}

/** The JSON type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
