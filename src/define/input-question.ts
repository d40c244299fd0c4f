import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../protocol/tool-result.js';
import type { Meta } from '../protocol/mcp-types.js';
import type { SchemaSource, InferInput } from '../schema/read/read-schema.js';

/** A form for the user of the client: a message and the fields to fill in. */
export interface FormQuestion<S extends SchemaSource = SchemaSource> {
  /** The text above the form. */
  readonly message: string;
  /** An object schema with flat fields: text, numbers, choices and booleans. */
  readonly schema: S;
}

/** Sends the user to a web page, for data that must not pass through the client. */
export interface PageQuestion {
  /** The reason to open the page. */
  readonly message: string;
  /** The address of the page. */
  readonly url: string;
}

/** The content of a sampling message: one block or a list of blocks. */
export type SamplingContent<Block> = Block | readonly Block[];

/** A model's request to run a tool that was offered in `tools`. */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

/** The result of a tool call, for a model. */
export interface ToolResultContent {
  /** The content type. */
  readonly type: 'tool_result';
  /** The id of the tool use that this result answers. */
  readonly toolUseId: string;
  /** The content of the result. */
  readonly content: readonly ContentBlock[];
  /** Whether the tool failed. */
  readonly isError?: boolean;
  /** The result as structured data. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Data for programs. */
  readonly _meta?: Meta;
}

/** Content that a model can produce. */
type SaidContent = TextContent | ImageContent | AudioContent | ToolUseContent;

/** A message of the conversation that the client's model continues. */
export interface SamplingMessage {
  /** The author of the message. */
  readonly role: 'user' | 'assistant';
  /** The content of the message. */
  readonly content: SamplingContent<SaidContent | ToolResultContent>;
}

/** A question to the client's model, in MCP's form. Fields such as `systemPrompt` and `temperature` are sent unchanged. */
export interface SamplingQuestion {
  /** The parameters of `sampling/createMessage`. */
  readonly sampling: Readonly<Record<string, unknown>> & {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
  };
}

/** Asks for the directories that the client works in. */
export interface RootsQuestion {
  /** Always true. */
  readonly roots: true;
}

/** A question that a handler can ask: a form, a page, the client's model, or the client's directories. */
export type InputQuestion = FormQuestion | PageQuestion | SamplingQuestion | RootsQuestion;

/** The user's answer to a form; with `accept`, the validated fields. */
export type InputAnswer<Content = Readonly<Record<string, unknown>>> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** The user's answer to a page question. */
export interface PageAnswer {
  /** The user's decision. `accept` means that the page was opened, not that anything was done there. */
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** The answer of the client's model, in MCP's form. */
export interface SamplingAnswer {
  /** The author, usually the assistant. */
  readonly role: 'user' | 'assistant';
  /** The model that answered. */
  readonly model: string;
  /** The content of the answer. */
  readonly content: SamplingContent<SaidContent>;
  /** Why the model stopped, such as `endTurn` or `maxTokens`. */
  readonly stopReason?: string;
}

/** The directories that the client shares with the server. */
export interface RootsAnswer {
  /** A `file:` address and an optional name for each directory. */
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** The type of the answer to a question. */
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
  questions: Q,
) => Promise<{ readonly [K in keyof Q]: AnswerTo<Q[K]> }>;
