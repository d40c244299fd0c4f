import type { CallToolResult, ContentBlock } from '../protocol/tool-result.js';
import type { InferSource } from '../schema/read/read-schema.js';

/** The ways in which a handler returns a value: at once, later, or after it has yielded progress. */
export type Returned<Value> =
  | Value
  | Promise<Value>
  | Generator<unknown, Value, unknown>
  | AsyncGenerator<unknown, Value, unknown>;

/** The values that a handler may return: those of the output schema and results, or any value without an output schema. */
export type ValueFor<Output> = [Output] extends [never]
  ? unknown
  : Frozen<InferSource<Output>> | ReturnedResult;

/** A result as handlers write it. TypeScript infers literals that a handler returns as read-only. */
export interface ReturnedResult extends Omit<CallToolResult, 'content'> {
  /** Content for the model. */
  readonly content: readonly ContentBlock[];
}

/** Allows read-only lists, because TypeScript infers literals that a handler returns as read-only. */
type Frozen<T> = T extends string | number | boolean | bigint | null | undefined | Date
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** Adds nothing to a definition, or a handler type that rejects content blocks which MCP does not know. */
export type ContentCheck<Value> = [InvalidBlock<Value>] extends [never]
  ? unknown
  : { readonly handler: (call: never) => Returned<{ readonly content: readonly ContentBlock[] }> };

/** The content blocks of a result that are not valid. A block whose type is only known to be text may be valid. */
type InvalidBlock<Value> = Value extends { readonly content: readonly (infer Block)[] }
  ? Block extends { readonly type: infer Type extends string }
    ? string extends Type
      ? never
      : Block extends ContentBlock
        ? never
        : Block
    : never
  : never;

/**
 * Adds nothing to a definition, or a handler type that rejects values which the handler may not return. In a list of definitions,
 * TypeScript infers texts and numbers that a handler returns by their kind, so their literal types are not compared.
 */
export type ValueCheck<Value, Output> = [Value] extends [Widened<ValueFor<Output>>]
  ? ContentCheck<Value>
  : { readonly handler: (call: never) => Returned<Widened<ValueFor<Output>>> };

/** As `ValueCheck`, with literal types, for a definition that its own signature has rejected. */
export type StrictCheck<Value, Output> = [Value] extends [ValueFor<Output>]
  ? Value extends { readonly content: readonly { readonly type: string }[] }
    ? { readonly handler: (call: never) => Returned<{ readonly content: readonly ContentBlock[] }> }
    : unknown
  : { readonly handler: (call: never) => Returned<ValueFor<Output>> };

type Widened<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends object
        ? { readonly [K in keyof T]: Widened<T[K]> }
        : T;
