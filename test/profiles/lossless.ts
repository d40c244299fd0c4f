// The properties that every lowered tool must have.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { checkTools } from '../../src/profiles/check-tools.js';
import { lowerTool } from '../../src/profiles/lower-tool.js';
import type { Arguments, LoweredTool, ProfileName } from '../../src/profiles/profile.js';
import type { McpTool } from '../../src/protocol/mcp-types.js';
import { DefaultValidator } from '../../src/schema/validate/default-validator.js';
import { canonicalJson } from '../../src/values/json-value.js';
import { ToolfoldError } from '../../src/errors.js';
import { anyValue, inputSchema, Random, valueFor } from './schemas.js';

type Test = (value: unknown) => boolean;

const compiled = new WeakMap<object, Test>();

/** Ajv is the judge, because it knows nothing of lowering. */
function compile(schema: object): Test {
  const known = compiled.get(schema);
  if (known) return known;
  const { $schema } = schema as { $schema?: string };
  const options = {
    strict: false,
    validateFormats: false,
    validateSchema: false,
    ownProperties: true,
  } as const;
  const ajv = $schema?.includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
  const judge = ajv.compile(withoutProto(schema) as object);
  const test: Test = (value) => judge(withoutProto(value));
  compiled.set(schema, test);
  return test;
}

/** Renames `__proto__` in schemas and values alike, because Ajv ignores a declared property of that name. */
function withoutProto(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? value : JSON.parse(text.replaceAll('"__proto__"', '"__proto_x"'));
}

/** Whether Toolfold rejects a schema, so that no tool can have it: one that applies itself to the same value, for instance. */
function isRejected(schema: McpTool['inputSchema']): boolean {
  try {
    new DefaultValidator({ engine: 'interpreted' }).compile(schema);
    return false;
  } catch (error) {
    if (error instanceof ToolfoldError) return true;
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

const overTheWire = (value: unknown): Arguments => JSON.parse(JSON.stringify(value)) as Arguments;

/** The four properties of a lowered tool. Returns the number of inputs that were tried. */
export function assertLossless(tool: McpTool, profile: ProfileName, random: Random, tries: number): number {
  const lowered = lowerTool(tool, profile);
  expect(checkTools([lowered.tool], profile)).toEqual([]);
  expect(canonicalJson(lowerTool(lowered.tool, profile).tool)).toBe(canonicalJson(lowered.tool));
  if (isRejected(tool.inputSchema)) return 0;
  const isValid = compile(tool.inputSchema);
  const isAccepted = compile(lowered.tool.inputSchema);
  const inputs = validInputs(tool.inputSchema, isValid, random, tries);
  for (const input of inputs) {
    const sent = overTheWire(lowered.encode ? lowered.encode(input) : input);
    expect(isAccepted(sent), `${JSON.stringify(sent)} for ${JSON.stringify(lowered.tool.inputSchema)}`).toBe(
      true,
    );
    expect(canonicalJson(lowered.decode ? lowered.decode(sent) : sent)).toBe(canonicalJson(input));
  }
  assertReadableErrors(tool, lowered, random);
  return inputs.length;
}

/** Anything may arrive. Decoding never throws, and validation answers with issues. */
function assertReadableErrors(tool: McpTool, { tool: lowered, decode }: LoweredTool, random: Random): void {
  const validate = new DefaultValidator({ engine: 'interpreted' }).compile(tool.inputSchema);
  for (let tries = 0; tries < 3; tries++) {
    const sent = [valueFor(lowered.inputSchema, lowered.inputSchema, random), anyValue(random, 3)][tries % 2];
    const decoded = decode ? decode(overTheWire(sent ?? null)) : sent;
    const result = validate(decoded);
    if (!result.ok) for (const { message } of result.issues) expect(message).toMatch(/\S/);
  }
}

/** Lowers a tool with a generated schema. Returns the number of inputs that were tried. */
export function assertGenerated(seed: number, profile: ProfileName, inputsEach: number): number {
  const random = new Random(seed);
  const schema = inputSchema(random) as McpTool['inputSchema'];
  return assertLossless({ name: 'tool', inputSchema: schema }, profile, random, inputsEach);
}
