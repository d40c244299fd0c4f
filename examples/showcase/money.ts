/** Money is a whole number of the smallest unit of its currency (cents), as a bigint. Text is for people and models. */
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';

const digits = { CHF: 2, EUR: 2, GBP: 2, JPY: 0, USD: 2 } as const;

export type Currency = keyof typeof digits;
export const currencies = Object.keys(digits) as [Currency, ...Currency[]];
export const currencySchema = z.enum(currencies);

/** A signed amount: income is positive, spending negative. */
export const amountSchema = z
  .string()
  .regex(/^-?\d{1,12}(\.\d{1,3})?$/, 'must be an amount as text, such as "12.50" or "-3"')
  .describe('Decimal text, not cents: "-12.50" is money that goes out, "12.50" money that comes in');

/** A positive amount whose direction is known. */
export const positiveAmountSchema = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,3})?$/, 'must be an amount above zero as text, such as "12.50"')
  .describe('Decimal text above zero, such as "12.50"; not cents');

/** The size of an amount, regardless of its sign. */
export const sizeSchema = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,3})?$/, 'must be an amount without a sign as text, such as "12.50"');

export function parseAmount(text: string, currency: Currency): bigint {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text);
  const places = digits[currency];
  const fraction = match?.[3] ?? '';
  if (!match || fraction.slice(places).replaceAll('0', '') !== '')
    throw new ErrToolFailed(
      `"${text}" is no amount of ${currency}, which has ${places} digits after the point.`,
    );
  const units = BigInt(`${match[2]}${fraction.slice(0, places).padEnd(places, '0')}`);
  return match[1] === '-' ? -units : units;
}

export function parsePositive(text: string, currency: Currency): bigint {
  const amount = parseAmount(text, currency);
  if (amount <= 0n) throw new ErrToolFailed(`The amount must be above zero, and is ${text}.`);
  return amount;
}

export function formatAmount(amount: bigint, currency: Currency): string {
  return formatDecimal(amount, digits[currency]);
}

/** Writes a whole number with a decimal point before its last `places` digits. */
export function formatDecimal(value: bigint, places: number): string {
  const text = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const sign = value < 0n ? '-' : '';
  if (places === 0) return `${sign}${text}`;
  return `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** Rates are in millionths. Halves are rounded to even, so that rounding errors cancel out. */
export const RATE_UNIT = 1_000_000n;

export function convertAmount(amount: bigint, from: Currency, to: Currency, rate: bigint): bigint {
  const scaled = amount * rate * 10n ** BigInt(digits[to]);
  return divideToEven(scaled, RATE_UNIT * 10n ** BigInt(digits[from]));
}

export function divideToEven(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [top, bottom] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const [whole, rest] = [top / bottom, top % bottom];
  const isUp = rest * 2n > bottom || (rest * 2n === bottom && whole % 2n === 1n);
  const rounded = isUp ? whole + 1n : whole;
  return isNegative ? -rounded : rounded;
}
