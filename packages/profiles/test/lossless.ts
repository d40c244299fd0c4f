// The properties that every lowered tool must have.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { checkTools, lowerTool, profileNames } from '@toolfold/profiles';
import type { Arguments, LoweredTool, McpTool, ProfileName } from '@toolfold/profiles';
import { rootCompositions } from '../src/rules/structure-rules.js';
import { DefaultValidator } from '@toolfold/schema';
import { canonicalJson } from '@toolfold/schema/internal';
import { ToolfoldError } from '@toolfold/schema/errors';
import { anyValue, inputSchema as schemaOf, Random, valueFor } from './schemas.js';

type Test = (value: unknown) => boolean;
type Validate = ReturnType<DefaultValidator['compile']>;

const options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  // Most schemas judge a handful of values.
  code: { optimize: false },
} as const;
const draft07 = new Ajv(options);
const draft2020 = new Ajv2020(options);

/** The judges of the last schemas, because several profiles often have the same one. */
const compiled = new Map<string, Test>();

/** Ajv is the judge, because it knows nothing of lowering. */
function compile(schema: object): Test {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const { $schema } = schema as { $schema?: string };
  const ajv = $schema?.includes('draft-07') ? draft07 : draft2020;
  const judge = ajv.compile(withoutProto(schema) as object);
  const test: Test = (value) => judge(withoutProto(value));
  if (compiled.size === 50) {
    compiled.clear();
    for (const each of [draft07, draft2020]) each.removeSchema();
  }
  compiled.set(text, test);
  return test;
}

/** Renames `__proto__` in schemas and values alike, because Ajv ignores a declared property of that name. */
function withoutProto(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? value : JSON.parse(text.replaceAll('"__proto__"', '"__proto_x"'));
}

/** Compiles a schema; `undefined` if Toolfold rejects it, so that no tool can have it: one that applies itself to the same value, for instance. */
function validatorOf(schema: McpTool['inputSchema']): Validate | undefined {
  try {
    return new DefaultValidator({ engine: 'interpreted' }).compile(schema);
  } catch (error) {
    if (error instanceof ToolfoldError) return undefined;
    throw error;
  }
}

function validInputs(
  schema: McpTool['inputSchema'],
  isValid: Test,
  random: Random,
  tries: number,
): Arguments[] {
  return Array.from({ length: tries }, () => valueFor(schema, schema, random)).filter(isValid) as Arguments[];
}

function hasRootComposition(schema: McpTool['inputSchema']): boolean {
  return rootCompositions.some((keyword) => Object.hasOwn(schema, keyword));
}

const overTheWire = (value: unknown): Arguments => JSON.parse(JSON.stringify(value)) as Arguments;

/** The four properties of a tool that is lowered for each of the profiles. Returns the number of inputs that were tried for each. */
export function assertLossless(
  tool: McpTool,
  profiles: readonly ProfileName[],
  random: Random,
  tries: number,
): number {
  const validate = validatorOf(tool.inputSchema);
  const inputs = validate ? validInputs(tool.inputSchema, compile(tool.inputSchema), random, tries) : [];
  for (const profile of profiles) assertLowered(tool, profile, { validate, inputs, random });
  return inputs.length;
}

interface Judged {
  readonly validate: Validate | undefined;
  readonly inputs: readonly Arguments[];
  readonly random: Random;
}

function assertLowered(tool: McpTool, profile: ProfileName, { validate, inputs, random }: Judged): void {
  const lowered = lowerTool(tool, profile);
  if (profile === 'standard') expect(lowered.decode).toBe(undefined);
  expect(checkTools([lowered.tool], profile)).toEqual([]);
  expect(canonicalJson(lowerTool(lowered.tool, profile).tool)).toBe(canonicalJson(lowered.tool));
  if (!validate) return;
  const isAccepted = compile(lowered.tool.inputSchema);
  for (const input of inputs) {
    const sent = overTheWire(lowered.encode ? lowered.encode(input) : input);
    // A call of one alternative may have any value in a field that only another one declares. The `standard` profile does not list it.
    if (profile !== 'standard' || !hasRootComposition(tool.inputSchema))
      expect(
        isAccepted(sent),
        `${JSON.stringify(sent)} for ${JSON.stringify(lowered.tool.inputSchema)}`,
      ).toBe(true);
    expect(canonicalJson(lowered.decode ? lowered.decode(sent) : sent)).toBe(canonicalJson(input));
  }
  assertReadableErrors(validate, lowered, random);
}

/** Anything may arrive. Decoding never throws, and validation answers with issues. */
function assertReadableErrors(
  validate: Validate,
  { tool: lowered, decode }: LoweredTool,
  random: Random,
): void {
  for (let tries = 0; tries < 3; tries++) {
    const sent = [valueFor(lowered.inputSchema, lowered.inputSchema, random), anyValue(random, 3)][tries % 2];
    const decoded = decode ? decode(overTheWire(sent ?? null)) : sent;
    const result = validate(decoded);
    if (!result.ok) for (const { message } of result.issues) expect(message).toMatch(/\S/);
  }
}

/** Lowers a tool with a generated schema for each profile, and returns the number of inputs that were tried. */
export function assertGenerated(seed: number, inputsEach: number): number {
  const random = new Random(seed);
  const inputSchema = schemaOf(random) as McpTool['inputSchema'];
  return assertLossless({ name: 'tool', inputSchema }, profileNames, random, inputsEach);
}
