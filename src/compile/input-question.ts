import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../format/tool-result.js';
import type { Meta } from '../model/base-model.js';
import type { SchemaSource } from '../schema/read-schema.js';
import type { InferInput } from './infer-input.js';

/** A question to the person at the client: a message, and the fields of the answer. */
export interface FormQuestion<S extends SchemaSource = SchemaSource> {
  readonly message: string;
  /** An object of plain fields: text, numbers, choices, yes or no. */
  readonly schema: S;
}

/** Sends the person to a page, for what must not pass through the client. */
export interface PageQuestion {
  readonly message: string;
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
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

type SaidContent = TextContent | ImageContent | AudioContent | ToolUseContent;

export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingContent<SaidContent | ToolResultContent>;
}

/** A question to the client's model, in MCP's own form. `systemPrompt`, `temperature` and so on go out as written. */
export interface SamplingQuestion {
  readonly sampling: Readonly<Record<string, unknown>> & {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
  };
}

/** Asks which directories the client works in. */
export interface RootsQuestion {
  readonly roots: true;
}

export type InputQuestion = FormQuestion | PageQuestion | SamplingQuestion | RootsQuestion;

/** What the person did, and for `accept` the fields of the form, validated. */
export type InputAnswer<Content = Readonly<Record<string, unknown>>> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** What the person did about a page. What happened there is known to the page. */
export interface PageAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** What the client's model said, in MCP's own form. */
export interface SamplingAnswer {
  readonly role: 'user' | 'assistant';
  readonly model: string;
  readonly content: SamplingContent<SaidContent>;
  readonly stopReason?: string;
}

export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

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
