import { exceededLimit, isJsonObject, isSchema, mapChildren, walkSchema } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { SchemaNode } from '@toolfold/schema/internal';

/**
 * Inlines each definition where that makes the schema shorter, and leaves out definitions that nothing refers to. The length as JSON
 * is the measure, because tokens are proportional to it within one schema. Recursive definitions stay.
 */
export function placeRefs(given: JsonSchemaObject): JsonSchemaObject {
  let schema = given;
  // Inlining one definition may make another one small enough.
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const placed = placeOnce(schema);
    if (placed === schema) return schema;
    schema = placed;
  }
  return schema;
}

const MAX_ROUNDS = 32;

function placeOnce(schema: JsonSchemaObject): JsonSchemaObject {
  const group = '$defs' in schema ? '$defs' : 'definitions';
  const definitions = schema[group];
  if (!isJsonObject(definitions) || ('$defs' in schema && 'definitions' in schema)) return schema;
  if (exceededLimit(schema, { maxDepth: 200, maxValues: 100_000 }) !== undefined) return schema;
  const prefix = `#/${group}/`;
  const uses = new Map<string, number>();
  let isSimple = true;
  const visit = ({ schema: part }: SchemaNode): void => {
    const { $ref } = part;
    if ($ref === undefined) return;
    const name = typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;
    // Constraints beside a reference, and references to other places, cannot be inlined.
    if (name === undefined || !Object.hasOwn(definitions, name) || hasConstraints(part)) isSimple = false;
    else uses.set(name, (uses.get(name) ?? 0) + 1);
  };
  const isWhole = walkSchema(schema, visit, 64);
  if (!isSimple || !isWhole) return schema;
  const bodies = new Map<string, string>();
  for (const [name, body] of Object.entries(definitions)) {
    if (!isSchema(body) || body === false) return schema;
    bodies.set(name, JSON.stringify(body));
  }
  const inlined = chooseInlined(bodies, uses, prefix);
  if (inlined.size === 0 && bodies.size === uses.size) return schema;
  return rewrite(schema, { group, prefix, definitions, inlined, uses });
}

/** Chooses the definitions that make the schema shorter when they are written where they are used. */
function chooseInlined(
  bodies: ReadonlyMap<string, string>,
  uses: ReadonlyMap<string, number>,
  prefix: string,
): ReadonlySet<string> {
  const inlined = new Set<string>();
  for (const [name, body] of bodies) {
    const count = uses.get(name) ?? 0;
    // A definition that refers to another stays, because otherwise its length would depend on the other and recursion could be
    // lost.
    if (count === 0 || body.includes(`"${prefix}`)) continue;
    const reference = `{"$ref":"${prefix}${name}"}`.length;
    const hoisted = body.length + name.length + 4 + count * reference;
    if (count * body.length <= hoisted) inlined.add(name);
  }
  return inlined;
}

interface Rewrite {
  readonly group: string;
  readonly prefix: string;
  readonly definitions: Record<string, unknown>;
  readonly inlined: ReadonlySet<string>;
  readonly uses: ReadonlyMap<string, number>;
}

function rewrite(
  schema: JsonSchemaObject,
  { group, prefix, definitions, inlined, uses }: Rewrite,
): JsonSchemaObject {
  const replace = (value: unknown): unknown => {
    if (!isJsonObject(value)) return value;
    const { $ref } = value;
    const name = typeof $ref === 'string' && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined;
    if (name !== undefined && inlined.has(name)) {
      const { $ref: _, ...beside } = value;
      const body = definitions[name];
      return isJsonObject(body) ? { ...body, ...beside } : beside;
    }
    // Only subschemas have references. An equal object in `const`, `enum` or `default` is data.
    return mapChildren(value, replace);
  };
  const { [group]: _, ...root } = schema;
  const kept = Object.entries(definitions).filter(([name]) => uses.has(name) && !inlined.has(name));
  const rest = Object.fromEntries(kept.map(([name, body]) => [name, replace(body)]));
  return { ...(replace(root) as JsonSchemaObject), ...(kept.length === 0 ? {} : { [group]: rest }) };
}

const annotations = new Set([
  '$ref',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

function hasConstraints(schema: JsonSchemaObject): boolean {
  return Object.keys(schema).some((keyword) => !annotations.has(keyword));
}
