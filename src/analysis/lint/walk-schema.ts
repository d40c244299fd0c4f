import type { JsonSchemaObject } from '../../index.js';
import { forEachSubschema, foreignKeywords, formProblem, keywords } from '../../schema/check/keywords.js';
import { isJsonObject } from '../../values/json-value.js';
import type { Item } from './finding.js';

/** A subschema, and the field that it describes if it stands under `properties`. */
export interface SchemaNode {
  readonly pointer: string;
  readonly schema: JsonSchemaObject;
  readonly field?: string | undefined;
  readonly isRequired: boolean;
  /** Number of fields around this one: 0 for an argument of the tool. */
  readonly depth: number;
}

/** Maximum number of subschemas of one tool that the rules look at. */
const MAX_NODES = 20_000;

/** Visits the subschemas of a schema in the order in which they are written. References are not followed. */
export function walkSchema(root: JsonSchemaObject, pointer: string): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const stack: SchemaNode[] = [{ pointer, schema: root, isRequired: false, depth: -1 }];
  for (let node = stack.pop(); node && nodes.length < MAX_NODES; node = stack.pop()) {
    nodes.push(node);
    const below = childrenOf(node);
    for (const child of below.toReversed()) stack.push(child);
  }
  return nodes;
}

function childrenOf({ schema, pointer, depth }: SchemaNode): SchemaNode[] {
  const required = new Set(namesIn(schema['required']));
  const children: SchemaNode[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const form = keywords['2020-12'].get(keyword) ?? foreignKeywords['2020-12'].get(keyword);
    // A malformed map still holds schemas, for example one property that is not a schema.
    if (keyword !== 'properties' && (form === undefined || formProblem(form, value) !== undefined)) continue;
    const isFields = keyword === 'properties';
    if (isFields && !isJsonObject(value)) continue;
    forEachSubschema(isFields ? 'schema map' : form, value, (child, key) => {
      if (!isJsonObject(child)) return;
      const field = isFields ? String(key) : undefined;
      children.push({
        pointer: `${pointer}/${escape(keyword)}${key === undefined ? '' : `/${escape(String(key))}`}`,
        schema: child,
        field,
        isRequired: field !== undefined && required.has(field),
        depth: isFields ? depth + 1 : depth,
      });
    });
  }
  return children;
}

/** Escapes a key for a JSON pointer. */
export function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

const walked = new WeakMap<object, SchemaNode[]>();

/** The subschemas of the input of a tool or action. */
export function inputNodes({ inputSchema }: Pick<Item, 'inputSchema'>): readonly SchemaNode[] {
  let nodes = walked.get(inputSchema);
  if (!nodes) walked.set(inputSchema, (nodes = walkSchema(inputSchema, '/inputSchema')));
  return nodes;
}

/** The fields of the input of a tool or action, at every depth. */
export function inputFields(
  item: Pick<Item, 'inputSchema'>,
): readonly (SchemaNode & { readonly field: string })[] {
  return inputNodes(item).filter((node): node is SchemaNode & { field: string } => node.field !== undefined);
}

/** A text of a tool that a model reads. */
export interface ToolText {
  readonly pointer: string;
  readonly text: string;
  /** Whether a person wrote it as prose, unlike names and values. */
  readonly isProse: boolean;
}

/** Every text of a tool or action: names, titles, descriptions, and the values in its schemas. */
export function* textsOf(item: Item): Generator<ToolText> {
  yield { pointer: '/name', text: item.name, isProse: false };
  if (item.title !== undefined) yield { pointer: '/title', text: item.title, isProse: true };
  if (item.description !== undefined)
    yield { pointer: '/description', text: item.description, isProse: true };
  const nodes = item.outputSchema
    ? [...inputNodes(item), ...walkSchema(item.outputSchema, '/outputSchema')]
    : inputNodes(item);
  for (const { pointer, schema, field } of nodes) {
    if (field !== undefined) yield { pointer, text: field, isProse: false };
    for (const keyword of ['title', 'description', '$comment']) {
      const text = schema[keyword];
      if (typeof text === 'string') yield { pointer: `${pointer}/${keyword}`, text, isProse: true };
    }
    for (const keyword of ['default', 'const']) {
      const text = schema[keyword];
      if (typeof text === 'string') yield { pointer: `${pointer}/${keyword}`, text, isProse: false };
    }
    for (const keyword of ['enum', 'examples']) {
      const list = schema[keyword];
      if (!Array.isArray(list)) continue;
      for (const [index, text] of list.entries())
        if (typeof text === 'string')
          yield { pointer: `${pointer}/${keyword}/${index}`, text, isProse: false };
    }
  }
}
