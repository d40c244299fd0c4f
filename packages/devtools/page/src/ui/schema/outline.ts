import { declaredFields, joinPointer, typesOf, valueAt } from '@toolfold/schema/internal';
import { isSchemaObject, resolveSchema } from './resolve-schema.js';
import type { SchemaObject } from './resolve-schema.js';
import { alternativesOf, factsOf, typeInWords, valueInWords } from './schema-words.js';

/** A part of a schema that is shown in one line, with its nested parts. */
export interface OutlineNode {
  /** The name of a property, or words such as "each item". */
  readonly label: string;
  readonly kind: 'property' | 'part' | 'alternative';
  /** Pointers of the schema and of the definitions that it refers to. */
  readonly pointers: readonly string[];
  readonly type: string;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
  readonly facts: readonly string[];
  /** Allowed values, as JSON. */
  readonly values: readonly string[];
  readonly problem?: string | undefined;
  /** Whether the schema contains itself. Its children are then shown further up. */
  readonly isRecursive: boolean;
  /** Lazy, because schemas may be large. */
  readonly children: () => readonly OutlineNode[];
}

interface Part {
  readonly label: string;
  readonly kind: OutlineNode['kind'];
  readonly value: unknown;
  readonly pointer: string;
  readonly isRequired?: boolean;
}

interface Context {
  readonly root: unknown;
  /** Enclosing definitions, to detect recursion. */
  readonly above: readonly unknown[];
}

/** Outlines a schema. Pointers begin with `base`, such as `/inputSchema`. */
export function outlineSchema(schema: unknown, base = ''): OutlineNode {
  // References are relative to the schema itself, so add the base at the end.
  return withBase(
    nodeOf({ label: '', kind: 'part', value: schema, pointer: '' }, { root: schema, above: [] }),
    base,
  );
}

function withBase(node: OutlineNode, base: string): OutlineNode {
  return {
    ...node,
    pointers: node.pointers.map((pointer) => `${base}${pointer}`),
    children: () => node.children().map((child) => withBase(child, base)),
  };
}

function nodeOf(
  { label, kind, value, pointer, isRequired = false }: Part,
  { root, above }: Context,
): OutlineNode {
  const { schema, pointers, problem, name } = resolveSchema(value, pointer, root);
  // Compare the objects of the document, because merging keywords creates new ones.
  const target = pointers.length === 1 ? value : valueAt(root, pointers.at(-1) ?? '');
  const isRecursive = above.includes(target);
  const type = typeInWords(schema, root);
  return {
    label,
    kind,
    pointers,
    type: type === 'object' && name !== undefined ? `object (${name})` : type,
    isRequired,
    description: typeof schema['description'] === 'string' ? schema['description'] : undefined,
    facts: factsOf(schema),
    values: Array.isArray(schema['enum']) ? schema['enum'].map(valueInWords) : [],
    problem,
    isRecursive,
    children: () =>
      isRecursive
        ? []
        : partsOf(schema, pointers.at(-1) ?? pointer, root).map((part) =>
            nodeOf(part, { root, above: [...above, target] }),
          ),
  };
}

function partsOf(schema: SchemaObject, pointer: string, root: unknown): Part[] {
  return [
    ...propertiesOf(schema, pointer),
    ...itemsOf(schema, pointer, root),
    ...valuesOf(schema, pointer, root),
    ...branchesOf(schema, pointer, root),
  ];
}

function propertiesOf(schema: SchemaObject, pointer: string): Part[] {
  return declaredFields(schema).map(({ name, schema: value, isRequired }) => ({
    label: name,
    kind: 'property',
    value,
    pointer: joinPointer(pointer, 'properties', name),
    isRequired,
  }));
}

/** Omits the items of a list if they add nothing to its type. */
function itemsOf(schema: SchemaObject, pointer: string, root: unknown): Part[] {
  const parts: Part[] = [];
  const { prefixItems, items } = schema;
  if (Array.isArray(prefixItems))
    for (const [index, value] of prefixItems.entries())
      parts.push({
        label: `item ${index + 1}`,
        kind: 'part',
        value,
        pointer: joinPointer(pointer, 'prefixItems', index),
      });
  if (isSchemaObject(items) && hasMoreThanType(items, root))
    parts.push({ label: 'each item', kind: 'part', value: items, pointer: joinPointer(pointer, 'items') });
  return parts;
}

function valuesOf(schema: SchemaObject, pointer: string, root: unknown): Part[] {
  const { additionalProperties, patternProperties } = schema;
  const parts: Part[] = [];
  if (isSchemaObject(patternProperties))
    for (const [pattern, value] of Object.entries(patternProperties))
      parts.push({
        label: `keys that match ${pattern}`,
        kind: 'part',
        value,
        pointer: joinPointer(pointer, 'patternProperties', pattern),
      });
  if (isSchemaObject(additionalProperties) && hasMoreThanType(additionalProperties, root))
    parts.push({
      label: isSchemaObject(schema['properties']) ? 'other keys' : 'each value',
      kind: 'part',
      value: additionalProperties,
      pointer: joinPointer(pointer, 'additionalProperties'),
    });
  return parts;
}

function branchesOf(schema: SchemaObject, pointer: string, root: unknown): Part[] {
  const parts: Part[] = [];
  const union = alternativesOf(schema);
  // "string or null" is complete; other unions show their branches.
  if (union && union.schemas.some((each) => hasMoreThanType(each, root)))
    for (const [index, value] of union.schemas.entries())
      parts.push({
        label: alternativeName(value, index, root),
        kind: 'alternative',
        value,
        pointer: joinPointer(pointer, union.keyword, index),
      });
  if (Array.isArray(schema['allOf']))
    for (const [index, value] of schema['allOf'].entries())
      parts.push({ label: 'also', kind: 'part', value, pointer: joinPointer(pointer, 'allOf', index) });
  for (const [keyword, label] of [
    ['if', 'if it matches'],
    ['then', 'then'],
    ['else', 'else'],
    ['not', 'but not'],
  ] as const)
    if (isSchemaObject(schema[keyword]) && Object.keys(schema[keyword]).length > 0)
      parts.push({ label, kind: 'part', value: schema[keyword], pointer: joinPointer(pointer, keyword) });
  return parts;
}

function alternativeName(value: unknown, index: number, root: unknown): string {
  const { schema, name } = resolveSchema(value, '', root);
  if (typeof schema['title'] === 'string') return schema['title'];
  const fixed = isSchemaObject(schema['properties'])
    ? Object.entries(schema['properties']).find(([, each]) => isSchemaObject(each) && 'const' in each)
    : undefined;
  if (fixed && isSchemaObject(fixed[1])) return `${fixed[0]} = ${valueInWords(fixed[1]['const'])}`;
  return name ?? `alternative ${index + 1}`;
}

const plainKeywords: ReadonlySet<string> = new Set(['type', 'title', '$schema']);

function hasMoreThanType(value: unknown, root: unknown): boolean {
  const { schema } = resolveSchema(value, '', root);
  if (typesOf(schema)?.includes('array') === true) return true;
  return Object.keys(schema).some((keyword) => !plainKeywords.has(keyword));
}
