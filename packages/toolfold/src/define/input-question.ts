import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../protocol/tool-result.js';
import type { Meta } from '@toolfold/profiles';
import type { SchemaSource, InferInput } from '@toolfold/schema';
import type { InferSource } from '@toolfold/schema/internal';

/** Asks the user of the client to fill in a form. */
export interface FormQuestion<S extends SchemaSource = SchemaSource> {
  /** Text that the client shows above the form. */
  readonly message: string;
  /** An object schema with flat fields: text, numbers, choices and booleans. */
  readonly schema: S;
}

/** Sends the user to a web page, for data that must not pass through the client. */
export interface PageQuestion {
  /** Tells the user why to open the page. */
  readonly message: string;
  /** Address that the client opens in a browser. */
  readonly url: string;
}

/** MCP allows one content block or a list of them. */
export type SamplingContent<Block> = Block | readonly Block[];

/** The model asks the server to run one of the `tools` of the question. */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

/** Answers a `tool_use` block of the model in the next question. */
export interface ToolResultContent {
  /** Distinguishes this block from the other kinds of content. */
  readonly type: 'tool_result';
  /** The `id` of the `tool_use` block that this result answers. */
  readonly toolUseId: string;
  /** Content blocks that the model reads. */
  readonly content: readonly ContentBlock[];
  /** True if the tool failed; the content then describes the error. */
  readonly isError?: boolean;
  /** The same result as data, for tools with an output schema. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Metadata for programs; the model does not see it. */
  readonly _meta?: Meta;
}

/** A model can write these kinds of content. */
type SaidContent = TextContent | ImageContent | AudioContent | ToolUseContent;

/** A message of the conversation that the client's model continues. */
export interface SamplingMessage {
  /** `assistant` for a message of the model, `user` for all others. */
  readonly role: 'user' | 'assistant';
  /** Text, images, audio, and calls of tools with their results. */
  readonly content: SamplingContent<SaidContent | ToolResultContent>;
}

/** A question to the client's model, in MCP's form. Fields such as `systemPrompt` and `temperature` are sent unchanged. */
export interface SamplingQuestion {
  /** Parameters of the MCP request `sampling/createMessage`. */
  readonly sampling: Readonly<Record<string, unknown>> & {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
  };
}

/** Asks for the directories that the client works in. */
export interface RootsQuestion {
  /** Marks the question; its value is always `true`. */
  readonly roots: true;
}

/** A question that a handler can ask: a form, a page, the client's model, or the client's directories. */
export type InputQuestion = FormQuestion | PageQuestion | SamplingQuestion | RootsQuestion;

/** The answer of the user to a form. With `accept`, `content` holds the validated fields. */
export type InputAnswer<Content = Readonly<Record<string, unknown>>> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** Whether the user opened the page. */
export interface PageAnswer {
  /** `accept` means that the user opened the page, not that anything was done there. */
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** The message that the client's model wrote, in MCP's form. */
export interface SamplingAnswer {
  /** Usually `assistant`, because the model wrote the message. */
  readonly role: 'user' | 'assistant';
  /** Name of the model that the client chose. */
  readonly model: string;
  /** Text, an image, audio, or calls of the offered tools. */
  readonly content: SamplingContent<SaidContent>;
  /** Why the model stopped, such as `endTurn` or `maxTokens`. */
  readonly stopReason?: string;
}

/** The directories that the client shares with the server. */
export interface RootsAnswer {
  /** A `file:` address and an optional name for each directory. */
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** Maps each kind of question to the type of its answer. */
export type AnswerTo<Q> = Q extends { readonly sampling: unknown }
  ? SamplingAnswer
  : Q extends { readonly roots: true }
    ? RootsAnswer
    : Q extends { readonly url: string }
      ? PageAnswer
      : Q extends { readonly schema: infer S }
        ? InputAnswer<InferInput<S>>
        : never;

/**
 * Asks the client or its user. The questions may be sent as the result of the call; the handler then starts again when the client
 * repeats the call with the answers. Ask before the handler changes anything.
 */
export type RequestInput = <const Q extends Readonly<Record<string, InputQuestion>>>(
  questions: Q & FlatForms<Q>,
) => Promise<{ readonly [K in keyof Q]: AnswerTo<Q[K]> }>;

/** The values that a field of a form can have. */
type FormValue = string | number | boolean | readonly string[] | undefined;

/** The fields of a form that MCP does not allow. */
type NestedField<T> = string extends keyof T
  ? never
  : { [K in keyof T]-?: unknown extends T[K] ? never : T[K] extends FormValue ? never : K }[keyof T];

/** Puts a message where the schema of a form has nested fields. */
type FlatForms<Q> = {
  readonly [K in keyof Q]: Q[K] extends { readonly schema: infer S }
    ? [NestedField<InferSource<S>>] extends [never]
      ? unknown
      : { readonly schema: 'Fields of a form are texts, numbers, booleans or choices of texts.' }
    : unknown;
};
