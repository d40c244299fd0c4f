import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../protocol/tool-result.js';
import type { Meta } from '../protocol/mcp-types.js';
import type { SchemaSource, InferInput } from '../schema/read/read-schema.js';

/** A question to the person at the client: a message, and the fields of the answer. */
export interface FormQuestion<S extends SchemaSource = SchemaSource> {
  /** What the person reads above the form. */
  readonly message: string;
  /** An object of plain fields: text, numbers, choices, yes or no. */
  readonly schema: S;
}

/** Sends the person to a page, for what must not pass through the client. */
export interface PageQuestion {
  /** Why the person should go there. */
  readonly message: string;
  /** Where to go. */
  readonly url: string;
}

/** What a model said, or is told: one block, or a list of them. */
export type SamplingContent<Block> = Block | readonly Block[];

/** A model wants a tool run that it was offered with `tools`. */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

/** A model is told what a tool answered. */
export interface ToolResultContent {
  /** Marks it as this kind of content. */
  readonly type: 'tool_result';
  /** The use of a tool that it answers. */
  readonly toolUseId: string;
  /** What the tool answered. */
  readonly content: readonly ContentBlock[];
  /** Whether the tool failed. */
  readonly isError?: boolean;
  /** The same as data. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Facts for programs. */
  readonly _meta?: Meta;
}

/** What a model can say. */
type SaidContent = TextContent | ImageContent | AudioContent | ToolUseContent;

/** A message of the talk that the client's model is to continue. */
export interface SamplingMessage {
  /** Who says it. */
  readonly role: 'user' | 'assistant';
  /** The content of the message. */
  readonly content: SamplingContent<SaidContent | ToolResultContent>;
}

/** A question to the client's model, in MCP's own form. `systemPrompt`, `temperature` and so on go out as written. */
export interface SamplingQuestion {
  /** The parameters of `sampling/createMessage`. */
  readonly sampling: Readonly<Record<string, unknown>> & {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
  };
}

/** Asks which directories the client works in. */
export interface RootsQuestion {
  /** Marks the question as this one. */
  readonly roots: true;
}

/** Whatever a handler can ask: a form, a page, the client's model, or its directories. */
export type InputQuestion = FormQuestion | PageQuestion | SamplingQuestion | RootsQuestion;

/** What the person did, and for `accept` the fields of the form, validated. */
export type InputAnswer<Content = Readonly<Record<string, unknown>>> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** What the person did about a page. What happened there is known to the page. */
export interface PageAnswer {
  /** What the person did. `accept` says that the page was opened, not what happened there. */
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** What the client's model said, in MCP's own form. */
export interface SamplingAnswer {
  /** Who said it: as a rule the assistant. */
  readonly role: 'user' | 'assistant';
  /** The model that answered. */
  readonly model: string;
  /** What it said. */
  readonly content: SamplingContent<SaidContent>;
  /** Why it stopped, such as `endTurn` or `maxTokens`. */
  readonly stopReason?: string;
}

/** The directories that the client lets a server know of. */
export interface RootsAnswer {
  /** Each as a `file:` address, and a name where it has one. */
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** The answer that a question gets. */
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
 * Asks the client, mostly the person there. The questions may go out as the answer, and the handler starts anew when
 * the client calls again with the answers: ask before anything is changed.
 */
export type RequestInput = <const Q extends Readonly<Record<string, InputQuestion>>>(
  questions: Q,
) => Promise<{ readonly [K in keyof Q]: AnswerTo<Q[K]> }>;
