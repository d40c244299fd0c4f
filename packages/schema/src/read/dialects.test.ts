import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DefaultValidator, loadGenerator } from '../validate/default-validator.js';
import type { Dialect, JsonSchema } from '../values/json-schema.js';
import { keywords } from '../check/keywords.js';

// Loads the generator, so that `generated` uses it from the first value on.
await loadGenerator();

interface Case {
  description: string;
  schema: JsonSchema;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const folder = new URL('../../../../test/data/json-schema/', import.meta.url);
const read = (dialect: Dialect): [file: string, cases: Case[]][] =>
  readdirSync(new URL(`${dialect}/`, folder)).map((file) => [
    file,
    JSON.parse(readFileSync(new URL(`${dialect}/${file}`, folder), 'utf8')) as Case[],
  ]);

describe.each(['2020-12', 'draft-07'] as const)('JSON Schema %s', (dialect) => {
  const files = read(dialect);

  it.each(
    (['generated', 'interpreted'] as const).flatMap((engine) =>
      files.map(([file, cases]) => [engine, file, cases] as const),
    ),
  )('validates by its own rules, %s: %s [S002-21]', (engine, _file, cases) => {
    const validator = new DefaultValidator({ engine });
    for (const { description, schema, tests } of cases) {
      const validate = validator.compile(schema);
      for (const { description: what, data, valid } of tests) {
        expect(validate(data).ok, `${description}: ${what}`).toBe(valid);
      }
    }
  });

  it('has cases for every keyword', () => {
    const used = new Set<string>();
    const note = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Array.isArray(value)) for (const key of Object.keys(value)) used.add(key);
      for (const entry of Object.values(value)) note(entry);
    };
    for (const [, cases] of files) for (const { schema } of cases) note(schema);
    // The vocabulary of a meta-schema does not affect the validation of data.
    const missing = [...keywords[dialect].keys()].filter(
      (keyword) => !used.has(keyword) && keyword !== '$vocabulary',
    );
    expect(missing).toEqual([]);
  });

  it('has cases that pass and cases that fail in every file that can fail', () => {
    const silent = new Set([
      'annotations.json',
      'content.json',
      'format.json',
      'unknown-keywords.json',
      'other-dialects.json',
    ]);
    for (const [file, cases] of files) {
      const outcomes = new Set(cases.flatMap(({ tests }) => tests.map(({ valid }) => valid)));
      expect(outcomes.has(true), file).toBe(true);
      if (!silent.has(file)) expect(outcomes.has(false), file).toBe(true);
    }
  });
});
