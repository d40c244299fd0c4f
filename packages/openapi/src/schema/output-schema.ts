import type { JsonSchemaObject } from '@toolfold/schema';
import { isJsonObject } from '@toolfold/schema/internal';
import { isJsonType } from '../plan/media-types.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, resolveObject } from '../read/resolve.js';
import { mergeAllOf } from './merge-all-of.js';
import { SchemaTooLarge, SchemaWriter, withDefinitions } from './schema-writer.js';

const MAX_PARTS = 500;

/**
 * Returns the output schema of an operation, from its first successful response if that is a JSON object or a list. It contains only
 * properties and types, and allows `null` everywhere, because real responses deviate from their specification. Returns `undefined` above
 * `maxSchema` characters.
 */
export function readOutputSchema(
  document: SpecObject,
  responses: unknown,
  maxSchema: number,
): JsonSchemaObject | undefined {
  const successes = entriesOf(responses).filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  const bodies = successes.map(([, response]) => entriesOf(resolveObject(document, response)['content']));
  // A response without a body, such as 204, has no structured content.
  if (bodies.length === 0 || bodies.some((content) => !content.some(([type]) => isJsonType(type))))
    return undefined;
  if (bodies.length > 1) return undefined;
  const media = bodies[0]?.find(([type]) => isJsonType(type))?.[1];
  const { schema } = resolveObject(document, media);
  if (!isJsonObject(schema)) return undefined;
  const { type } = mergeAllOf(document, schema) ?? {};
  const types = new Set([type].flat());
  // A response that may be `null` has no structured content. Lists are dismissed before their schemas are written, because writing takes
  // most of the time.
  if (types.has('null') || (type !== undefined && !types.has('object'))) return undefined;
  try {
    const writer = new SchemaWriter(document, { side: 'output', describe: () => '', maxParts: MAX_PARTS });
    const written = writer.write(schema);
    if (typeof written === 'boolean') return undefined;
    const root = withDefinitions(written, writer.definitions);
    const closed = withObjectRoot(root);
    return closed && JSON.stringify(closed).length <= maxSchema ? closed : undefined;
  } catch (error) {
    if (error instanceof SchemaTooLarge) return undefined;
    throw error;
  }
}

/** MCP requires an object at the root, which is never `null`. Schemas without properties are dropped, because they tell a model nothing. */
function withObjectRoot(schema: JsonSchemaObject): JsonSchemaObject | undefined {
  const { type, properties } = schema;
  if (![type].flat().includes('object') || !isJsonObject(properties)) return undefined;
  return Object.keys(properties).length > 0 ? { ...schema, type: 'object' } : undefined;
}
