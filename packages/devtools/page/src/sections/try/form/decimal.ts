import { jsonTokens } from '../../../mcp/wire/json-text.js';

/** A decimal number: its digits without zeros at either end, times a power of ten. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
  readonly isNegative: boolean;
}

/** Reads a number as JSON and JavaScript write it. */
function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim()) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return { digits, exponent: 0, isNegative: false };
  const exponent = Number(power) - fraction.length + significant.length - digits.length;
  return { digits, exponent, isNegative: sign === '-' };
}

/** Whether JavaScript represents a number exactly, so that the same value is sent. */
export function isKept(text: string): boolean {
  const written = readDecimal(text);
  const kept = readDecimal(String(Number(text)));
  return (
    written !== undefined &&
    kept !== undefined &&
    written.digits === kept.digits &&
    written.exponent === kept.exponent &&
    written.isNegative === kept.isNegative
  );
}

/** Describes the problem of a number that JavaScript would round. */
export function lossProblem(text: string): string | undefined {
  if (isKept(text)) return undefined;
  const sent = Number(text);
  const instead = Number.isFinite(sent) ? `would be sent as ${String(sent)}` : 'cannot be sent';
  return `has more digits than a number can keep: it ${instead}`;
}

/** Returns the problem of the first number in a JSON text that JavaScript would round. */
export function lostNumber(text: string): string | undefined {
  for (const token of jsonTokens(text)) {
    if (!/^-?\d/.test(token)) continue;
    const problem = lossProblem(token);
    if (problem !== undefined) return `${token.length > 40 ? `${token.slice(0, 40)}…` : token} ${problem}`;
  }
  return undefined;
}

/** Whether a number is a decimal multiple of another one: 19.99 is a multiple of 0.01, although not in binary. */
export function isMultiple(value: number, of: number): boolean {
  const one = readDecimal(String(value));
  const other = readDecimal(String(of));
  if (!one || !other || other.digits === '') return false;
  if (one.digits === '') return true;
  const exponent = Math.min(one.exponent, other.exponent);
  const scale = (decimal: Decimal): bigint =>
    BigInt(decimal.digits) * 10n ** BigInt(decimal.exponent - exponent);
  return scale(one) % scale(other) === 0n;
}
