import {
  assertPlain,
  deepFreeze,
  isJsonObject,
  shownFields,
  suggestName,
  validationFailed,
} from '@toolfold/schema/internal';
import { readObject } from './read-definition.js';
import type { InferInput, ReadSchema, SchemaSource, SchemaValidator } from '@toolfold/schema';
import type { RequestContext } from './tool-definition.js';
import { ErrDuplicateName, ErrInvalidModel, ErrUnknownPrompt } from '@toolfold/schema/errors';
import { isContentBlock } from '../protocol/tool-result.js';
import type { ContentBlock } from '../protocol/tool-result.js';
import type { McpPrompt } from '../protocol/mcp-types.js';
import type { Meta, Icon } from '@toolfold/profiles';
import { McpPromptConverter } from '../model/converters/mcp-converters.js';
import type { BaseModelInit } from '../model/base.js';
import { Prompt, PromptArgument } from '../model/prompt-resource.js';

/** Facts about a completion request, besides the typed text. */
export interface CompletionContext {
  /** Values that the user has already entered for the other arguments. */
  readonly arguments: Readonly<Record<string, string>>;
  /** The session context of the request; empty if there is none. It is not verified. */
  readonly session: Readonly<Record<string, unknown>>;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
}

/** Some of many suggestions, with their total number. */
export interface SomeSuggestions {
  /** Suggestions for the client, the best first. At most 100 are sent. */
  readonly values: readonly string[];
  /** Total number of suggestions. Default: the number of values. */
  readonly total?: number;
  /** Whether there are more suggestions than `values` holds. Default: whether `total` is greater than their number. */
  readonly hasMore?: boolean;
}

/** A completer returns all suggestions, or some of them with their total number. */
export type Suggestions = readonly string[] | SomeSuggestions;

/** Suggests values for an argument while the user types it. */
export type Completer = (typed: string, context: CompletionContext) => Suggestions | Promise<Suggestions>;

/** A message that the client adds to its conversation. */
export interface PromptMessage {
  /** The role under which the model reads the message. */
  role: 'user' | 'assistant';
  /** One content block: text, an image, audio or a resource. */
  content: ContentBlock;
}

/** The filled prompt, as clients receive it. */
export interface GetPromptResult {
  /** Tells people what the prompt is for. Default: the description of its definition. */
  description?: string;
  /** The conversation that the model continues. */
  messages: PromptMessage[];
  /** Metadata for programs; the model does not see it. */
  _meta?: Meta;
}

/** Prompts and resources share these fields of a definition. */
export interface ItemDefinition {
  /** Identifies the item in requests and messages. */
  readonly name: string;
  /** Name that clients show to people instead of `name`. */
  readonly title?: string;
  /** Tells models and people what the item is for. */
  readonly description?: string;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Metadata for programs, sent as `_meta` in lists. */
  readonly meta?: Meta;
}

/** Defines a prompt, whose arguments are the fields of its schema. */
export interface PromptDefinition<
  S extends SchemaSource = SchemaSource,
  App = unknown,
> extends ItemDefinition {
  /** The arguments, which clients send as text. Default: none. */
  readonly inputSchema?: S;
  /** Completers that suggest values, by the name of the argument. */
  readonly complete?: Readonly<Record<string, Completer>>;
  /**
   * Returns text, which becomes a user message, a list of messages, or a whole result. Throw `ErrValidationFailed` to tell the
   * client that the arguments match nothing.
   */
  readonly handler: (request: {
    readonly input: InferInput<S>;
    readonly context: RequestContext<App>;
  }) => unknown;
}

interface ReadyPrompt {
  readonly prompt: Prompt;
  readonly input: ReadSchema;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly handler: (request: { input: never; context: RequestContext }) => unknown;
}

export class Prompts {
  #prompts = new Map<string, ReadyPrompt>();
  readonly #validator: SchemaValidator | undefined;
  #list: readonly McpPrompt[] | undefined;

  constructor(validator?: SchemaValidator) {
    this.#validator = validator;
  }

  get size(): number {
    return this.#prompts.size;
  }

  has(name: string): boolean {
    return this.#prompts.has(name);
  }

  add(definition: PromptDefinition): void {
    const base = readBase('prompt', definition);
    const { name } = base;
    if (this.#prompts.has(name)) throw new ErrDuplicateName(`A prompt "${name}" is already registered.`);
    const input = readObject(
      definition.inputSchema ?? {},
      `Prompt "${name}", inputSchema`,
      this.#validator ? { validator: this.#validator } : {},
    );
    const fields = [...(shownFields(input)?.values() ?? [])];
    const complete = new Map(Object.entries(definition.complete ?? {}));
    const unknown = [...complete.keys()].find((argument) => !fields.some((field) => field.name === argument));
    if (unknown !== undefined)
      throw new ErrInvalidModel(
        `Prompt "${name}" completes "${unknown}", which is not one of its arguments.`,
      );
    const prompt = new Prompt({
      ...base,
      promptArguments: fields.map(
        (field) =>
          new PromptArgument({
            name: field.name,
            title: textOf(field.schema, 'title'),
            description: textOf(field.schema, 'description'),
            required: field.required,
          }),
      ),
    });
    this.#list = undefined;
    this.#prompts.set(name, {
      prompt,
      input,
      complete,
      handler: definition.handler as ReadyPrompt['handler'],
    });
  }

  /** Replaces all prompts. If one of them is invalid, nothing changes. */
  replace(definitions: readonly PromptDefinition[]): void {
    const others = new Prompts(this.#validator);
    for (const definition of definitions) others.add(definition);
    this.#prompts = others.#prompts;
    this.#list = undefined;
  }

  get items(): Prompt[] {
    return Array.from(this.#prompts.values(), ({ prompt }) => prompt);
  }

  list(): readonly McpPrompt[] {
    return (this.#list ??= deepFreeze(new McpPromptConverter().convertFromPrompts(this.items)));
  }

  async get(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<GetPromptResult> {
    const { input, handler, prompt } = this.#find(name);
    const checked = await this.#check(input, args);
    if (!checked.ok) throw validationFailed(checked.issues);
    const result = toPromptResult(await handler({ input: checked.value as never, context }));
    return prompt.description === undefined ? result : { description: prompt.description, ...result };
  }

  /** Clients send arguments as text, so text that the schema rejects is read as JSON: `3` becomes a number. */
  async #check(
    input: ReadSchema,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Awaited<ReturnType<ReadSchema['validate']>>> {
    const asSent = await input.validate(args);
    if (asSent.ok || this.#validator) return asSent;
    const rejected = new Set<unknown>(asSent.issues.map(({ path }) => path[0]));
    const fields = Object.entries(args).map(([name, text]) => [
      name,
      rejected.has(name) ? parsed(text) : text,
    ]);
    const asValues = await input.validate(Object.fromEntries(fields));
    return asValues.ok ? asValues : asSent;
  }

  completer(name: string, argument: string): Completer | undefined {
    return this.#find(name).complete.get(argument);
  }

  #find(name: string): ReadyPrompt {
    const found = this.#prompts.get(name);
    if (found) return found;
    throw new ErrUnknownPrompt(`Unknown prompt "${name}".`, suggestName(name, this.#prompts.keys()));
  }
}

/** Checks name and handler of a prompt or resource, and copies the fields that both have. */
export function readBase(
  kind: 'prompt' | 'resource',
  definition: ItemDefinition & { readonly [field in 'handler' | 'complete' | 'annotations']?: unknown },
): BaseModelInit {
  const error = { error: ErrInvalidModel };
  assertPlain(`The definition of a ${kind}`, definition, error);
  const { name, title, description, icons, meta, handler } = definition;
  if (typeof name !== 'string' || name.trim() === '') throw new ErrInvalidModel(`A ${kind} needs a name.`);
  if (typeof handler !== 'function')
    throw new ErrInvalidModel(`${kind === 'prompt' ? 'Prompt' : 'Resource'} "${name}" has no handler.`);
  for (const field of ['complete', 'meta', 'annotations'] as const)
    if (definition[field] !== undefined)
      assertPlain(`The ${kind} "${name}": ${field}`, definition[field], error);
  return {
    name,
    title,
    description,
    icons: icons && structuredClone([...icons]),
    meta: meta && structuredClone(meta),
  };
}

function textOf(schema: unknown, keyword: 'title' | 'description'): string | undefined {
  const text = isJsonObject(schema) ? schema[keyword] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return text;
  }
}

function toPromptResult(value: unknown): GetPromptResult {
  if (typeof value === 'string')
    return { messages: [{ role: 'user', content: { type: 'text', text: value } }] };
  if (Array.isArray(value) && value.every(isMessage)) return { messages: value };
  const { messages } = isJsonObject(value) ? value : {};
  if (Array.isArray(messages) && messages.every(isMessage)) return value as unknown as GetPromptResult;
  throw new ErrInvalidModel('The handler of a prompt must return text, messages or a result with messages.', {
    hint: 'A message has a role, user or assistant, and one content block.',
  });
}

function isMessage(value: unknown): value is PromptMessage {
  return (
    isJsonObject(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant') &&
    isContentBlock(value['content'])
  );
}
