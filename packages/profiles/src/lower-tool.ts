import type { McpTool } from './mcp-tool.js';
import { deepFreeze, exceededLimit, isJsonObject, pointerOf, walkSchema } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { checkSchema } from './check-schema.js';
import { fitDescription } from './fit-description.js';
import { hasUnions } from './lowering/clean-schemas.js';
import { newWork } from './lowering/codecs.js';
import type { Codec } from './lowering/codecs.js';
import { SchemaLowering } from './lowering/lower-schema.js';
import { placeRefs } from './lowering/place-refs.js';
import { findInvalidPart, INVALID_TOOL } from './invalid-tool.js';
import { distinctName, lowerName } from './lower-name.js';
import { assertProfile } from './profile.js';
import type { Arguments, Change, LoweredTool, LowerOptions, ProfileName } from './profile.js';
import { rulesOf } from './rules/rules-of.js';
import type { ProfileRules } from './rules/rules-of.js';
import { MAX_DEPTH } from './rules/structure-rules.js';
import { STRICT_DEPTH, STRICT_PROPERTIES } from './rules/strict-rules.js';
import { descriptionLimits } from './rules/tool-rules.js';

/** Rewrites a listed tool until a profile accepts it. */
export function lowerTool(tool: McpTool, profile: ProfileName, options: LowerOptions = {}): LoweredTool {
  assertProfile('lowerTool', profile, options);
  const { serverName = '' } = options;
  return lowerAs(tool, lowerName(tool.name, profile, serverName), profile);
}

/**
 * Rewrites a list of tools until a profile accepts each of them. Their names stay distinct. An invalid tool is returned unchanged, and
 * its `changes` name the reason under the rule `invalid-tool`.
 */
export function lowerTools(
  tools: readonly McpTool[],
  profile: ProfileName,
  options: LowerOptions = {},
): readonly LoweredTool[] {
  assertProfile('lowerTools', profile, options);
  const { serverName = '' } = options;
  const names = tools.map((tool) => (findInvalidPart(tool) ? '' : lowerName(tool.name, profile, serverName)));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool, index) => {
    const invalid = findInvalidPart(tool);
    if (invalid) return Object.freeze({ tool, changes: [{ rule: INVALID_TOOL, ...invalid }] });
    const name = names[index] ?? tool.name;
    // A tool whose name is unchanged keeps it, even if another tool is lowered to the same name.
    const isTaken = name !== tool.name && (counts.get(name) ?? 0) > 1;
    return lowerAs(tool, isTaken ? distinctName(name, tool.name, profile, serverName) : name, profile);
  });
}

function lowerAs(tool: McpTool, name: string, profile: ProfileName): LoweredTool {
  const rules = rulesOf(profile);
  const changes: Change[] = [];
  if (name !== tool.name)
    changes.push({ rule: nameRule(tool.name), path: '/name', message: `The name becomes ${name}.` });
  const limit = descriptionLimits[profile];
  const fitted = fitDescription(tool, limit);
  if (fitted !== tool) {
    changes.push({
      rule: `description-length-${limit}`,
      path: '/description',
      message: `The description is shortened to ${limit} characters.`,
    });
  }
  const input = lowerInput(fitted.inputSchema, rules);
  const codec = input?.codec;
  const translations = codec && {
    encode: encoder(codec),
    decode: decoder(codec, true),
    decodeListed: decoder(codec, false),
  };
  if (changes.length === 0 && (!input || input.schema === tool.inputSchema)) {
    return Object.freeze({ tool, ...translations, changes: none });
  }
  const lowered: McpTool = {
    ...fitted,
    name,
    ...(input ? { inputSchema: input.schema as McpTool['inputSchema'] } : {}),
  };
  return Object.freeze({
    tool: deepFreeze(lowered),
    ...translations,
    changes: deepFreeze([...changes, ...(input?.changes ?? [])]),
  });
}

const none: readonly Change[] = Object.freeze([]);

function nameRule(name: string): string {
  if (/[^\w-]/.test(name)) return 'name-pattern';
  return /^[a-zA-Z_]/.test(name) ? 'name-length' : 'name-start';
}

interface LoweredInput {
  readonly schema: JsonSchemaObject;
  readonly codec: Codec | undefined;
  readonly changes: readonly Change[];
}

/** Returns `undefined` if the profile accepts the schema unchanged. */
function lowerInput(given: JsonSchemaObject, rules: ProfileRules): LoweredInput | undefined {
  if (rules.keepsArguments) return lowerForm(given, rules);
  let isAccepted = true;
  const acceptsRefs = !rules.keywords.has('$ref');
  checkSchema(given, rules, () => {
    isAccepted = false;
  });
  if (isAccepted) {
    const placed = acceptsRefs ? placeRefs(given) : given;
    if (placed === given) {
      const codec =
        rules.ids.has('any-of-as-text') && hasUnions(given)
          ? run(given, rules, MAX_DEPTH, undefined).codec
          : undefined;
      return codec && { schema: given, codec, changes: none };
    }
    return { schema: placed, codec: undefined, changes: [refChange] };
  }
  const schema = bounded(isJsonObject(given) ? given : {});
  if (!rules.ids.has('strict-closed')) return runBounded(schema, rules);
  // If the root alone has too many fields, only depth 1 can fit.
  const { properties, required } = schema;
  const isWide =
    (isJsonObject(properties) && Object.keys(properties).length > STRICT_PROPERTIES) ||
    (Array.isArray(required) && new Set(required).size > STRICT_PROPERTIES);
  for (let depth = isWide ? 1 : STRICT_DEPTH; ; depth--) {
    const isLast = depth === 1;
    const lowered = run(schema, rules, depth, isLast ? STRICT_PROPERTIES - 1 : undefined);
    if (isLast || countProperties(lowered.schema) <= STRICT_PROPERTIES) return lowered;
  }
}

/** Adds missing `items`, and makes the root one object. Everything else stays as its author wrote it. */
function lowerForm(given: JsonSchemaObject, rules: ProfileRules): LoweredInput | undefined {
  const bare = new Set<JsonSchemaObject>();
  const changes: Change[] = [];
  let isRootKept = true;
  checkSchema(given, rules, (rule, visited, message) => {
    if (rule !== 'array-items' || !visited) isRootKept = false;
    else {
      bare.add(visited.schema);
      changes.push({ rule, path: pointerOf(visited, '/inputSchema'), message });
    }
  });
  if (isRootKept && bare.size === 0) return undefined;
  const schema = withItems(bounded(isJsonObject(given) ? given : {}), bare) as JsonSchemaObject;
  if (isRootKept) return { schema, codec: undefined, changes };
  const lowered = run(schema, rules, Number.POSITIVE_INFINITY, undefined);
  return { ...lowered, changes: [...changes, ...lowered.changes] };
}

function withItems(value: unknown, bare: ReadonlySet<object>): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map((part) => withItems(part, bare));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, withItems(part, bare)] as const);
  if (bare.has(value)) {
    const { items, prefixItems, maxItems } = value;
    entries.push(['items', {}]);
    if (items === false && Array.isArray(prefixItems))
      entries.push(['maxItems', Math.min(Number(maxItems ?? Infinity), prefixItems.length)]);
    else if (items === false) entries.push(['maxItems', 0]);
  }
  return Object.fromEntries(entries);
}

/** Depths that are tried in order, until the lowered schema is small enough. Compositions count as a part of a level. */
const depths = [MAX_DEPTH - 1, 6, 3, 1];

function runBounded(schema: JsonSchemaObject, rules: ProfileRules): LoweredInput {
  let lowered: LoweredInput | undefined;
  for (const depth of depths) {
    lowered = run(schema, rules, depth, undefined);
    if (walkSchema(lowered.schema, () => undefined, MAX_DEPTH)) break;
  }
  return lowered as LoweredInput;
}

const refChange: Change = {
  rule: 'no-ref',
  path: '/inputSchema',
  message: 'Definitions are inlined where that is shorter.',
};

function run(
  schema: JsonSchemaObject,
  rules: ProfileRules,
  maxDepth: number,
  maxProperties: number | undefined,
): LoweredInput {
  const lowering = new SchemaLowering(schema, rules, { maxDepth, maxProperties });
  const { schema: lowered, codec } = lowering.lowerRoot();
  const placed = rules.keywords.has('$ref')
    ? (lowered as JsonSchemaObject)
    : placeRefs(lowered as JsonSchemaObject);
  return { schema: placed, codec, changes: lowering.changes };
}

function countProperties(schema: JsonSchemaObject): number {
  let count = 0;
  walkSchema(schema, ({ field }) => {
    if (field !== undefined) count++;
  });
  return count;
}

const MAX_JSON_DEPTH = 200;

/** Cuts JSON that is nested deeper than any profile accepts, because lowering walks it recursively. */
function bounded(schema: JsonSchemaObject): JsonSchemaObject {
  if (exceededLimit(schema, { maxDepth: MAX_JSON_DEPTH, maxValues: Infinity }) === undefined) return schema;
  const cut = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_JSON_DEPTH - 10) return Array.isArray(value) ? [] : {};
    if (Array.isArray(value)) return (value as unknown[]).map((item) => cut(item, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, depth + 1)]));
  };
  return cut(schema, 0) as JsonSchemaObject;
}

function encoder(codec: Codec): (args: Arguments) => Arguments {
  return (args) => codec.encode(args, 0) as Arguments;
}

function decoder(codec: Codec, isLenient: boolean): (args: Arguments) => Arguments {
  return (args) => codec.decode(args, newWork(isLenient)) as Arguments;
}
