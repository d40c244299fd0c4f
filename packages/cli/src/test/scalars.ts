import type * as FastCheck from 'fast-check';

/** The package fast-check, which is loaded lazily. */
export type Fc = typeof FastCheck;
export type Arbitrary<T = unknown> = FastCheck.Arbitrary<T>;

type Schema = Readonly<Record<string, unknown>>;

/** Characters above the minimum length. Long texts find few errors and are hard to read. */
const MORE_CHARACTERS = 20;
const MAX_NUMBER = 2 ** 31;

export function stringsFor(fc: Fc, schema: Schema): Arbitrary<string> {
  const minLength = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : Infinity;
  const maxLength = Math.max(minLength, Math.min(most, minLength + MORE_CHARACTERS));
  const plain = fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength }) },
    { weight: 1, arbitrary: fc.string({ minLength, maxLength, unit: 'grapheme' }) },
  );
  const formatted = formatsOf(fc)[String(schema['format'])];
  const { pattern } = schema;
  if (typeof pattern !== 'string') return formatted ?? plain;
  const matches = readPattern(pattern);
  if (!matches) return formatted ?? plain;
  // Schemas often have both keywords, and the format's generator is better than the pattern's.
  if (formatted && isMostly(fc, formatted, matches)) return formatted.filter(matches);
  try {
    const matching = fc.stringMatching(new RegExp(pattern));
    return isMostly(fc, matching, matches) ? matching : plain;
  } catch {
    // fast-check cannot generate texts for look-arounds and some other syntax.
    return formatted ?? plain;
  }
}

function readPattern(pattern: string): ((text: string) => boolean) | undefined {
  try {
    const compiled = new RegExp(pattern, 'u');
    return (text) => compiled.test(text);
  } catch {
    return undefined;
  }
}

function isMostly(fc: Fc, texts: Arbitrary<string>, fits: (text: string) => boolean): boolean {
  const samples = fc.sample(texts, { numRuns: 20, seed: 1 });
  return samples.filter(fits).length >= samples.length / 2;
}

/** Cached, because preparing all formats takes 50 ms. */
const knownFormats = new WeakMap<Fc, Readonly<Record<string, Arbitrary<string>>>>();

function formatsOf(fc: Fc): Readonly<Record<string, Arbitrary<string>>> {
  const known = knownFormats.get(fc) ?? prepareFormats(fc);
  knownFormats.set(fc, known);
  return known;
}

function prepareFormats(fc: Fc): Readonly<Record<string, Arbitrary<string>>> {
  const times = fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  return {
    'date-time': times,
    date: times.map((time) => time.slice(0, 10)),
    time: times.map((time) => time.slice(11)),
    // Only addresses that every validator accepts. fast-check's own cover everything that the standard allows.
    email: fc.stringMatching(/^[a-z][a-z0-9]{0,8}@[a-z]{2,8}\.(?:com|org|example)$/),
    uri: fc.webUrl(),
    url: fc.webUrl(),
    uuid: fc.uuid(),
    ipv4: fc.ipV4(),
    ipv6: fc.ipV6(),
    hostname: fc.domain(),
    duration: fc.integer({ min: 1, max: 99 }).map((days) => `P${days}D`),
  };
}

export function numbersFor(fc: Fc, schema: Schema, isInteger: boolean): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const lowest = Math.max(...[minimum, exclusiveMinimum, -MAX_NUMBER].filter(isNumber));
  const highest = Math.max(lowest, Math.min(...[maximum, exclusiveMaximum, MAX_NUMBER].filter(isNumber)));
  const step = isNumber(multipleOf) && multipleOf > 0 ? multipleOf : isInteger ? 1 : undefined;
  if (step !== undefined) {
    const isAbove = exclusiveMinimum === lowest;
    const isBelow = exclusiveMaximum === highest;
    const first = isAbove ? Math.floor(lowest / step) + 1 : Math.ceil(lowest / step);
    const last = isBelow ? Math.ceil(highest / step) - 1 : Math.floor(highest / step);
    return fc.integer({ min: first, max: Math.max(first, last) }).map((count) => count * step || 0);
  }
  return fc
    .double({
      min: lowest,
      max: highest,
      noNaN: true,
      noDefaultInfinity: true,
      minExcluded: exclusiveMinimum === lowest && lowest < highest,
      maxExcluded: exclusiveMaximum === highest && lowest < highest,
    })
    .map((value) => value || 0);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
