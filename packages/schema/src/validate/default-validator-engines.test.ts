import { expect, it, vi } from 'vitest';
import { loadGenerator, withGeneratedCode } from './default-validator.js';
import { interpret } from './interpret-schema.js';
import { defaultSchemaLimits } from '../values/json-schema.js';
import type { JsonSchema } from '../values/json-schema.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { Validate } from './schema-validator.js';

function build(schema: JsonSchema, walks: number, formats = false) {
  const normal = normalizeSchema(schema, { limits: defaultSchemaLimits, formats });
  const walk = vi.fn<Validate>(interpret(normal, defaultSchemaLimits.steps));
  return { walk, validate: withGeneratedCode(normal, walk, { formats, walks, isSmall: () => true }) };
}

it('interprets values until the generator is loaded, which it requests after the configured number', async () => {
  const { walk, validate } = build({ type: 'string' }, 3);
  for (let use = 0; use < 10; use++) expect(validate('x').ok).toBe(true);
  expect(walk).toHaveBeenCalledTimes(10);
  await loadGenerator();
  // The call that finds the generator loaded is still interpreted.
  for (let use = 0; use < 10; use++) expect(validate('x')).toEqual({ ok: true, value: 'x' });
  expect(walk).toHaveBeenCalledTimes(11);
});

it('interprets values that generated code rejects, to collect the issues', async () => {
  await loadGenerator();
  const { walk, validate } = build({ type: 'string' }, 0);
  expect(validate('x').ok).toBe(true);
  expect(walk).not.toHaveBeenCalled();
  expect(validate(7)).toMatchObject({ ok: false, issues: [{ path: [] }] });
  expect(walk).toHaveBeenCalledTimes(1);
});

it('generates no code for a schema that is used a few times', async () => {
  await loadGenerator();
  const { walk, validate } = build({ type: 'string' }, 100);
  for (let use = 0; use < 100; use++) validate('x');
  expect(walk).toHaveBeenCalledTimes(100);
});

it('always interprets keywords that Ajv gets wrong', async () => {
  await loadGenerator();
  const { walk, validate } = build({ contains: { type: 'string' } }, 0);
  for (let use = 0; use < 5; use++) expect(validate(['x']).ok).toBe(true);
  expect(walk).toHaveBeenCalledTimes(5);
});

it('checks formats in generated code too', async () => {
  await loadGenerator();
  const { walk, validate } = build({ format: 'date' }, 0, true);
  expect(validate('2026-07-28').ok).toBe(true);
  expect(walk).not.toHaveBeenCalled();
  expect(validate('2026-02-30').ok).toBe(false);
});
