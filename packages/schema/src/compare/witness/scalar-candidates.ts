import type { JsonSchemaObject } from '../../values/json-schema.js';
import type { Facts } from '../schema-facts.js';
import { samplePattern } from './pattern-samples.js';

const MAX_TEXT = 5_000;

/** A valid text of each format that validators check. */
const formatSamples: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-03-01'],
  time: ['10:00:00Z'],
  'date-time': ['2026-03-01T10:00:00Z'],
  'iso-time': ['10:00:00'],
  'iso-date-time': ['2026-03-01T10:00:00'],
  duration: ['P1D'],
  uri: ['https://example.com/a'],
  'uri-reference': ['/a', 'https://example.com/a'],
  'uri-template': ['/a/{id}'],
  url: ['https://example.com/a'],
  email: ['ada@example.com'],
  hostname: ['example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  regex: ['^a$'],
  uuid: ['00000000-0000-4000-8000-000000000000'],
  'json-pointer': ['/a'],
  'json-pointer-uri-fragment': ['#/a'],
  'relative-json-pointer': ['0/a'],
  byte: ['YQ=='],
};

/** Generates texts near the limits of schemas, simple ones first. */
export function textCandidates(schemas: Facts): string[] {
  const texts = ['', 'a', 'text', '0', '1', 'A b-c_d.e', '😀'];
  for (const schema of schemas) {
    for (const length of limitsOf(schema, ['minLength', 'maxLength']))
      for (const near of [length - 1, length, length + 1])
        if (Number.isInteger(near) && near > 1 && near <= MAX_TEXT) texts.push('a'.repeat(near));
    if (typeof schema['pattern'] === 'string') texts.push(...samplePattern(schema['pattern']));
    const { format } = schema;
    if (typeof format === 'string' && Object.hasOwn(formatSamples, format))
      texts.push(...(formatSamples[format] ?? []));
    for (const choice of choicesOf(schema))
      if (typeof choice === 'string' && choice.length < MAX_TEXT) texts.push(choice, `${choice}x`);
  }
  return [...new Set(texts)];
}

/** Generates numbers near the limits of schemas, simple ones first. */
export function numberCandidates(schemas: Facts): number[] {
  const numbers = [0, 1, -1, 2, 0.5, 1.5, 10, 1_000_000, -1_000_000];
  const steps = schemas.flatMap((schema) => limitsOf(schema, ['multipleOf']));
  const limits = schemas.flatMap((schema) =>
    limitsOf(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  );
  for (const limit of limits) {
    numbers.push(limit, limit - 1, limit + 1, limit - 0.5, limit + 0.5, Math.floor(limit), Math.ceil(limit));
    for (const step of steps) {
      const count = Math.floor(limit / step);
      for (const near of [count - 1, count, count + 1, count + 2]) numbers.push(near * step);
    }
  }
  for (const step of steps) numbers.push(step, -step, step * 2, step * 3, step / 2, step * 1.5);
  for (const [at, low] of limits.entries())
    for (const high of limits.slice(at + 1)) numbers.push((low + high) / 2, Math.round((low + high) / 2));
  for (const schema of schemas)
    for (const choice of choicesOf(schema))
      if (typeof choice === 'number') numbers.push(choice, choice + 1, choice + 0.5);
  return [...new Set(numbers)].filter((number) => Number.isFinite(number)).map((number) => number || 0);
}

export function limitsOf(schema: JsonSchemaObject, keywords: readonly string[]): number[] {
  return keywords.map((keyword) => schema[keyword]).filter((limit) => typeof limit === 'number');
}

const MAX_CHOICES = 100;

export function choicesOf(schema: JsonSchemaObject): readonly unknown[] {
  const choices = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]).slice(0, MAX_CHOICES) : [];
  return 'const' in schema ? [...choices, schema['const']] : choices;
}
