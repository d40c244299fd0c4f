import type { JsonSchemaObject } from 'toolfold';
import { pointerOf, walkSchema } from '@toolfold/schema/internal';
import type { SchemaNode } from '@toolfold/schema/internal';
import type { Item } from './finding.js';

/** A subschema with its JSON pointer, such as `/inputSchema/properties/a`. */
export type PlacedNode = SchemaNode & { readonly pointer: string };

/** Lists the subschemas in document order, without following references. */
export function nodesOf(root: JsonSchemaObject, pointer: string): PlacedNode[] {
  const nodes: PlacedNode[] = [];
  walkSchema(root, (node) => {
    if (!node.isBoolean) nodes.push({ ...node, pointer: pointerOf(node, pointer) });
  });
  return nodes;
}

const walked = new WeakMap<object, PlacedNode[]>();

export function inputNodes({ inputSchema }: Pick<Item, 'inputSchema'>): readonly PlacedNode[] {
  let nodes = walked.get(inputSchema);
  if (!nodes) walked.set(inputSchema, (nodes = nodesOf(inputSchema, '/inputSchema')));
  return nodes;
}

export function inputFields(
  item: Pick<Item, 'inputSchema'>,
): readonly (PlacedNode & { readonly field: string })[] {
  return inputNodes(item).filter((node): node is PlacedNode & { field: string } => node.field !== undefined);
}

export interface ToolText {
  readonly pointer: string;
  readonly text: string;
  /** Whether a person wrote the text as prose, unlike names and values. */
  readonly isProse: boolean;
}

/** Yields every text that a model reads: names, titles, descriptions, and the values in the schemas. */
export function* textsOf(item: Item): Generator<ToolText> {
  yield { pointer: '/name', text: item.name, isProse: false };
  if (item.title !== undefined) yield { pointer: '/title', text: item.title, isProse: true };
  if (item.description !== undefined)
    yield { pointer: '/description', text: item.description, isProse: true };
  const nodes = item.outputSchema
    ? [...inputNodes(item), ...nodesOf(item.outputSchema, '/outputSchema')]
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
