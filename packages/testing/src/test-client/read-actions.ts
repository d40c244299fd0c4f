import { isJsonObject, mapIn } from '@toolfold/schema/internal';
import { findDiscriminator } from '../client/find-discriminator.js';
import { ALWAYS_REQUIRED, FOR, REQUIRED_FOR } from 'toolfold/internal';
import type { McpTool } from '@toolfold/profiles';
import type { JsonSchemaObject } from '@toolfold/schema';

interface ReadAction {
  readonly key: string;
  /** The input of the action, without the argument that names it. */
  readonly inputSchema: JsonSchemaObject;
}

/**
 * Reads the inputs of the actions of a grouped tool from the marks that `generateInputSchema` writes into the descriptions of its fields.
 * Other tools have no actions.
 */
export function readActions(tool: McpTool): {
  readonly discriminator: string | undefined;
  readonly actions: readonly ReadAction[];
} {
  const found = findDiscriminator(tool);
  if (!found) return { discriminator: undefined, actions: [] };
  const { discriminator, keys } = found;
  const known = new Set(keys);
  const { additionalProperties: others, ...rest } = tool.inputSchema;
  const { usedBy: othersUsedBy } = readUses(descriptionOf(others), known);
  const fields = Object.entries(mapIn(tool.inputSchema['properties']))
    .filter(([name]) => name !== discriminator)
    .map(([name, schema]) => ({ name, schema, ...readUses(descriptionOf(schema), known) }));
  const inputOf = (key: string): JsonSchemaObject => {
    const own = fields.filter(({ usedBy }) => usedBy?.has(key) ?? true);
    const properties = own.map(({ name, schema, description }) => [
      name,
      withDescription(schema, textFor(key, description, known)),
    ]);
    return {
      ...(isJsonObject(others) && othersUsedBy?.has(key) === false ? rest : tool.inputSchema),
      properties: Object.fromEntries(properties) as JsonSchemaObject,
      required: own.flatMap(({ name, requiredBy }) => (requiredBy?.has(key) === false ? [] : [name])),
    };
  };
  return { discriminator, actions: keys.map((key) => ({ key, inputSchema: inputOf(key) })) };
}

/** Returns the description of a field in one action: the text after `In` and the action's name, else the text before all such parts. */
function textFor(key: string, text: string, keys: ReadonlySet<string>): string {
  // The capture group makes the lists of names part of the result.
  const [first = '', ...parts] = text.split(/ In ([^:]+): /);
  const texts = [{ names: [] as readonly string[], text: first }];
  for (let index = 0; index < parts.length; index += 2) {
    const [list = '', own = ''] = parts.slice(index, index + 2);
    const names = list.split(', ');
    // An author's text may contain " In other cases: " as well.
    if (names.every((name) => keys.has(name))) texts.push({ names, text: own });
    else (texts.at(-1) as { text: string }).text += ` In ${list}: ${own}`;
  }
  return texts.find(({ names }) => names.includes(key))?.text ?? (texts[0] as { text: string }).text;
}

/** The actions that use a field, as its description marks them. */
interface Uses {
  /** The description without the mark. */
  readonly description: string;
  /** `undefined` means all actions. */
  readonly usedBy?: ReadonlySet<string> | undefined;
  /** `undefined` means all actions. */
  readonly requiredBy?: ReadonlySet<string> | undefined;
}

const MARK = new RegExp(
  `(?<!\\S)(?:${REQUIRED_FOR}|${FOR}|${ALWAYS_REQUIRED.replace(/[()]/g, '\\$&')})`,
  'g',
);

/**
 * Reads the last mark of a description, because text of the author may look like one. Notes of a profile follow the mark, such as `Required
 * for: create. Format: date.`
 */
function readUses(text: string, keys: ReadonlySet<string>): Uses {
  const [mark, before] = [...text.matchAll(MARK)].toReversed();
  // A field without a mark may belong to every action.
  const unmarked = { description: text, requiredBy: new Set<string>() };
  if (!mark) return unmarked;
  const [word] = mark;
  const start = mark.index + word.length;
  if (word === ALWAYS_REQUIRED) return { description: cutMark(text, mark.index, start) };
  const [list = ''] = /^.*?(?=\.\s|\.?$|\s\()/s.exec(text.slice(start)) ?? [];
  const found = readKeys(list, keys);
  if (!found) return unmarked;
  const end = start + list.length;
  // The two marks may form a pair: `Required for: create. For: list`.
  const isPair = word === FOR && before?.[0] === REQUIRED_FOR && text.startsWith('. ', mark.index - 2);
  const required = isPair && readKeys(text.slice(before.index + REQUIRED_FOR.length, mark.index - 2), keys);
  if (required)
    return {
      description: cutMark(text, before.index, end),
      usedBy: new Set([...required, ...found]),
      requiredBy: new Set(required),
    };
  const usedBy = new Set(found);
  const requiredBy = word === FOR ? new Set<string>() : usedBy;
  return { description: cutMark(text, mark.index, end), usedBy, requiredBy };
}

function readKeys(list: string, known: ReadonlySet<string>): readonly string[] | undefined {
  const keys = list.split(', ');
  return keys.every((key) => known.has(key)) ? keys : undefined;
}

function cutMark(text: string, start: number, end: number): string {
  const before = text.slice(0, start).trim();
  const after = text.slice(end).replace(/^\.?\s*/, '');
  const isJoined = before === '' || after === '' || after.startsWith('(') || /[.!?]$/.test(before);
  return `${before}${isJoined ? '' : '.'} ${after}`.trim();
}

/** Returns the description of a field. Some profiles move the description of a union into its first alternative. */
function descriptionOf(schema: unknown): string {
  if (!isJsonObject(schema)) return '';
  const { description } = schema;
  if (typeof description === 'string') return description;
  const first = firstAlternative(schema)?.['description'];
  return typeof first === 'string' ? first : '';
}

function withDescription(schema: unknown, description: string): unknown {
  if (!isJsonObject(schema)) return schema;
  const first = firstAlternative(schema);
  if (typeof schema['description'] === 'string' || typeof first?.['description'] !== 'string')
    return { ...schema, description };
  const [, ...others] = schema['anyOf'] as readonly unknown[];
  return { ...schema, anyOf: [{ ...first, description }, ...others] };
}

function firstAlternative({ anyOf }: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const [first] = Array.isArray(anyOf) ? (anyOf as unknown[]) : [];
  return isJsonObject(first) ? first : undefined;
}
