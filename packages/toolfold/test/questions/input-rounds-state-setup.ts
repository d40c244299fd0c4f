import fc from 'fast-check';
import { RequestState } from '../../src/questions/input-rounds.js';

export const KEY = 'k'.repeat(32);

/** Seals and opens only values, all for one call. */
export const valuesOf = (states: RequestState) => ({
  seal: (value: unknown, subject: string) => states.seal(value, subject, 'call'),
  open: (sealed: unknown, subject: string) => states.open(sealed, subject).value,
});

export function createStates(options: { ttlMs?: number; key?: string | Uint8Array } = {}) {
  let now = 1_700_000_000_000;
  const states = valuesOf(new RequestState({ key: KEY, clock: () => now, ...options }));
  const advance = (ms: number): void => {
    now += ms;
  };
  return { states, advance };
}

function toCharacter(code: number): string {
  return String.fromCharCode(code);
}

/** Any text, including lone surrogates and the replacement character. */
const unit = fc.oneof(
  fc.constantFrom('\uFFFD', '\uD800', '\uDC00', '😀', '"', '0'),
  fc.nat(0xff_ff).map(toCharacter),
);
export const text = fc.string({ unit, maxLength: 5 });
export const json = fc.oneof(fc.jsonValue(), text, fc.array(text), fc.dictionary(text, text));
