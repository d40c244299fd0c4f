import type { CallToolResult, ContentBlock } from '../protocol/tool-result.js';
import type { InferSource } from '@toolfold/schema/internal';

/** The ways in which a handler returns a value: at once, later, or after it has yielded progress. */
export type Returned<Value> = Value | Promise<Value> | Steps<Value>;

/** A generator, sync or async. The whole types of both would cost the compiler 38 more instantiations for each action. */
interface Steps<Value> {
  /** Runs to the next yielded progress, or to the returned value. */
  next(): IteratorResult<unknown, Value> | Promise<IteratorResult<unknown, Value>>;
}

/** The values that a handler may return: those of the output schema and results, or any value without an output schema. */
export type ValueFor<Output> = [Output] extends [never]
  ? unknown
  : Frozen<InferSource<Output>> | ReturnedResult;

/** A whole result that a handler returns, with content as read-only lists: TypeScript infers literals as read-only. */
export interface ReturnedResult extends Omit<CallToolResult, 'content'> {
  /** Content blocks that the model reads. */
  readonly content: readonly ContentBlock[];
}

/** Allows read-only lists, because TypeScript infers literals that a handler returns as read-only. */
type Frozen<T> = T extends string | number | boolean | bigint | null | undefined | Date
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/**
 * Makes TypeScript reject a handler that returns content blocks which MCP does not define. Otherwise it adds nothing to a
 * definition.
 */
export type ContentCheck<Value> = [InvalidBlock<Value>] extends [never]
  ? unknown
  : { readonly handler: (call: never) => Returned<{ readonly content: readonly ContentBlock[] }> };

/** The invalid content blocks of a result. A block whose `type` is any string counts as valid, because its kind is not known. */
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
 * Makes TypeScript reject a handler whose value does not fit the output schema. In a list of definitions, TypeScript infers
 * `string` and `number` for the values of a handler, so literal types are not compared.
 */
export type ValueCheck<Value, Output> = [Value] extends [Widened<ValueFor<Output>>]
  ? ContentCheck<Value>
  : { readonly handler: (call: never) => Returned<Widened<ValueFor<Output>>> };

/** Like `ValueCheck`, but compares literal types. It reports the error of a single definition that no other overload accepts. */
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
