import { Prompts } from '../../define/prompts.js';
import type { Completer, PromptDefinition } from '../../define/prompts.js';
import { messageOf } from '../../engine/error-handler.js';
import { isContentBlock } from '../../protocol/tool-result.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';
import { MAX_NAME_LENGTH } from '../options.js';
import {
  assertDepth,
  completionContext,
  invalidAnswer,
  problemOf,
  readBase,
  readSuggestions,
} from './listed-item.js';
import type { ItemOptions } from './listed-item.js';

type Fields = Readonly<Record<string, unknown>>;

const MAX_ARGUMENTS = 100;

/** Converts listed prompts into definitions. */
export function toPrompts(listed: readonly unknown[], options: ItemOptions): PromptDefinition[] {
  const { settings, skip } = options;
  const definitions = new Map<string, PromptDefinition>();
  for (const prompt of listed) {
    const { name } = isJsonObject(prompt) ? prompt : {};
    const label = `prompt ${typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : '(no name)'}`;
    const problem = problemOf(prompt);
    if (problem !== undefined) {
      skip(label, problem);
      continue;
    }
    const own = name as string;
    const given = settings.prefix === undefined ? own : `${settings.prefix}_${own}`;
    if (definitions.has(given)) {
      skip(label, 'it is listed twice');
      continue;
    }
    try {
      const definition = toPrompt(prompt as Fields, own, given, options);
      new Prompts().add(definition);
      definitions.set(given, definition);
    } catch (error) {
      // An invalid prompt must not affect the others.
      skip(label, messageOf(error) || 'its definition cannot be read');
    }
  }
  return [...definitions.values()];
}

function toPrompt(
  prompt: Fields,
  own: string,
  name: string,
  { settings, features, forward }: ItemOptions,
): PromptDefinition {
  const inputSchema = toSchema(prompt['arguments']);
  const complete =
    (argument: string): Completer =>
    async (typed, { arguments: others, session, signal }) => {
      const params = {
        ref: { type: 'ref/prompt', name: own },
        argument: { name: argument, value: typed },
        context: { arguments: others },
      };
      const answer = await forward('completion/complete', params, completionContext(session, signal));
      return readSuggestions(answer, settings.name);
    };
  const names = features.completions ? Object.keys(inputSchema.properties) : [];
  return {
    name,
    ...readBase(prompt),
    inputSchema,
    complete: Object.fromEntries(names.map((argument) => [argument, complete(argument)])),
    handler: async ({ input, context }) =>
      toPromptResult(await forward('prompts/get', { name: own, arguments: input }, context), settings.name),
  };
}

type PromptSchema = JsonSchemaObject & { readonly properties: Readonly<Record<string, JsonSchemaObject>> };

/** The schema of the arguments. Clients send them as text. */
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

/** Returns the messages of a prompt unchanged, or throws if they are not valid. */
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
