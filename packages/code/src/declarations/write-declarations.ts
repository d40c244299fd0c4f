import type { Steps } from '@toolfold/search/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { isJsonObject } from '@toolfold/schema/internal';
import { describeSchema, toLines, writeComment } from './schema-notes.js';
import { createTypeNames } from './type-references.js';
import type { TypeNames } from './type-references.js';
import { writeName } from '@toolfold/search/internal';
import { declareNamed, declareType } from './declare-type.js';
import type { Declaring } from './declare-type.js';

const MAX_DESCRIPTION = 8_000;
/** Limits the schemas, and the characters of names, comments and choices, in the arguments and in the result of a tool. */
const MAX_SCHEMAS = 1_500;
const MAX_CHARACTERS = 50_000;
/** Up to this many tools can use these limits in full. Each of more tools can use a part of them, but at least a fifth. */
const FULL_TOOLS = 4;
const LEAST_SHARE = 0.2;

export interface DeclaredTool {
  /** The names after `tools`, such as `github.issues.list`. */
  readonly path: string;
  readonly description: string | undefined;
  /** Written after the description, such as the effects of the function. */
  readonly notes: readonly string[];
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema: JsonSchemaObject | undefined;
}

/** `tool` is the function that has the name of the namespace. */
interface Namespace {
  readonly inside: Map<string, Namespace>;
  tool?: DeclaredTool;
}

/**
 * Writes commented TypeScript that declares functions of `tools`. The text is valid for any schemas and names. Each step writes one schema
 * or one named type, because the schemas of other servers can be large.
 */
export function* writeDeclarations(tools: readonly DeclaredTool[]): Steps<string> {
  const names = createTypeNames(Math.max(LEAST_SHARE, Math.min(1, FULL_TOOLS / tools.length)));
  const root: Namespace = { inside: new Map() };
  for (const tool of tools) {
    let space = root;
    for (const part of tool.path.split('.')) {
      let next = space.inside.get(part);
      if (!next) space.inside.set(part, (next = { inside: new Map() }));
      space = next;
    }
    space.tool = tool;
  }
  const declared = `declare const tools: ${yield* writeNamespace(root, names, '')};`;
  return [...(yield* writeNamedTypes(names)), declared].join('\n');
}

/** Writes the types that references lead to, which may refer to further ones. */
function* writeNamedTypes(names: TypeNames): Steps<string[]> {
  const types: string[] = [];
  // Declaring a type may append further types to this list.
  for (const { name, schema, document } of names.pending) {
    const type = declareNamed(schema, { ...document, names });
    const text = describeSchema(schema);
    types.push(`${text === '' ? '' : `${writeComment([text], '')}\n`}type ${name} = ${type};`);
    yield;
  }
  return types;
}

function declaringIn(root: JsonSchemaObject, names: TypeNames): Declaring {
  const { share } = names;
  const budget = { schemasLeft: MAX_SCHEMAS * share, charactersLeft: MAX_CHARACTERS * share };
  return { root, names, budget };
}

/** Writes a namespace as an object. Names that lead to a single namespace share a line. */
function* writeNamespace({ inside, tool }: Namespace, names: TypeNames, indent: string): Steps<string> {
  const [only] = inside;
  if (inside.size === 1 && only && !tool && !only[1].tool)
    return `{ ${writeName(only[0])}: ${yield* writeNamespace(only[1], names, indent)} }`;
  const within = `${indent}  `;
  const members: string[] = tool ? [yield* writeFunction('', tool, names, within)] : [];
  for (const [name, space] of inside) {
    members.push(
      space.tool && space.inside.size === 0
        ? yield* writeFunction(name, space.tool, names, within)
        : `${writeName(name)}: ${yield* writeNamespace(space, names, within)};`,
    );
  }
  return `{\n${members.map((member) => `${within}${member}\n`).join('')}${indent}}`;
}

/** Writes a function. A function with the name of a namespace has no name, because it is the call of the namespace. */
function* writeFunction(name: string, tool: DeclaredTool, names: TypeNames, indent: string): Steps<string> {
  const { description = '', notes, inputSchema, outputSchema } = tool;
  const lines = [...toLines(description, MAX_DESCRIPTION), ...notes];
  const comment = lines.length === 0 ? '' : `${writeComment(lines, indent)}\n${indent}`;
  const input = hasNoFields(inputSchema)
    ? ''
    : `input${hasRequired(inputSchema) ? '' : '?'}: ${declareType(inputSchema, declaringIn(inputSchema, names), indent)}`;
  yield;
  const output = outputSchema
    ? declareType(outputSchema, declaringIn(outputSchema, names), indent)
    : 'unknown';
  yield;
  // `new(…)` without quotes is a constructor.
  const label = name === 'new' ? "'new'" : name === '' ? '' : writeName(name);
  return `${comment}${label}(${input}): Promise<${output}>;`;
}

function hasRequired({ required, anyOf, oneOf, allOf, $ref }: JsonSchemaObject): boolean {
  return (Array.isArray(required) && required.length > 0) || (anyOf ?? oneOf ?? allOf ?? $ref) !== undefined;
}

function hasNoFields(schema: JsonSchemaObject): boolean {
  const { properties, additionalProperties: others, patternProperties } = schema;
  const isEmpty = !isJsonObject(properties) || Object.keys(properties).length === 0;
  return isEmpty && !hasRequired(schema) && others !== true && !isJsonObject(others) && !patternProperties;
}
