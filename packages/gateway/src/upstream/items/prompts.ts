import { isContentBlock, Prompts } from 'toolfold/internal';
import type { PromptDefinition } from 'toolfold';
import type { JsonSchemaObject } from '@toolfold/schema';
import { isJsonObject } from '@toolfold/schema/internal';
import { MAX_NAME_LENGTH } from '../options.js';
import {
  assertDepth,
  completersFor,
  convertItems,
  invalidAnswer,
  problemOf,
  readBase,
} from './listed-item.js';
import type { ItemOptions } from './listed-item.js';

type Fields = Readonly<Record<string, unknown>>;

const MAX_ARGUMENTS = 100;

export function toPrompts(listed: readonly unknown[], options: ItemOptions): PromptDefinition[] {
  const { prefix } = options.settings;
  return convertItems(listed, options, (prompt) => {
    const { name } = isJsonObject(prompt) ? prompt : {};
    const own = String(name);
    const given = prefix === undefined ? own : `${prefix}_${own}`;
    return {
      label: `prompt ${typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : '(no name)'}`,
      key: given,
      problem: problemOf(prompt),
      convert: () => {
        const definition = toPrompt(prompt as Fields, own, given, options);
        new Prompts().add(definition);
        return definition;
      },
    };
  });
}

function toPrompt(prompt: Fields, own: string, name: string, options: ItemOptions): PromptDefinition {
  const { settings, features, forward } = options;
  const inputSchema = toSchema(prompt['arguments']);
  const names = features.completions ? Object.keys(inputSchema.properties) : [];
  return {
    name,
    ...readBase(prompt),
    inputSchema,
    complete: completersFor(names, { type: 'ref/prompt', name: own }, options),
    handler: async ({ input, context }) =>
      toPromptResult(await forward('prompts/get', { name: own, arguments: input }, context), settings.name),
  };
}

type PromptSchema = JsonSchemaObject & { readonly properties: Readonly<Record<string, JsonSchemaObject>> };

/** Returns the schema of the arguments. Clients send them as text. */
function toSchema(listed: unknown): PromptSchema {
  const all: readonly unknown[] = listed === undefined ? [] : Array.isArray(listed) ? listed : [null];
  if (all.length > MAX_ARGUMENTS) throw new Error(`it has more than ${MAX_ARGUMENTS} arguments`);
  const properties: Record<string, JsonSchemaObject> = {};
  const required: string[] = [];
  for (const argument of all) {
    const problem = problemOf(argument);
    if (problem !== undefined) throw new Error(`one of its arguments cannot be used: ${problem}`);
    const { name, title, description, required: isRequired } = argument as Fields & { name: string };
    if (Object.hasOwn(properties, name) || name === '__proto__')
      throw new Error('two of its arguments have the same name, or one has a reserved name');
    properties[name] = {
      type: 'string',
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    };
    if (isRequired === true) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: true };
}

/** Returns the messages of a prompt unchanged, or throws if they are invalid. */
function toPromptResult(answer: unknown, server: string): Fields {
  assertDepth(answer, server);
  const { messages, description, _meta } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(messages) || !messages.every(isMessage))
    throw invalidAnswer(server, 'it has no list of messages with a role and content');
  return {
    messages,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  };
}

function isMessage(message: unknown): boolean {
  if (!isJsonObject(message)) return false;
  const { role, content } = message;
  return (role === 'user' || role === 'assistant') && isContentBlock(content);
}
