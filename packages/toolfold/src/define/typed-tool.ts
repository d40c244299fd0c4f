import type { CallToolResult } from '../protocol/tool-result.js';
import type { InferInput } from '@toolfold/schema';
import type { InferSource, NoFields } from '@toolfold/schema/internal';

/**
 * An action as types. It holds schemas, not the types that they infer, so that an action that is never called costs
 * little.
 */
export interface TypedAction<
  Key extends string | undefined = string | undefined,
  Input = unknown,
  Output = unknown,
> {
  /** The key of the action in a grouped tool, such as `users.list`. */
  readonly key: Key;
  /** Type of the input schema. */
  readonly inputSchema: Input;
  /** Type of the output schema; `never` if there is none. */
  readonly outputSchema: Output;
}

/**
 * The names and actions of a tool as types. Names and common fields are parameters of functions, because TypeScript then
 * accepts a builder with a known name where the name is unknown.
 */
export interface TypedTool<
  Name extends string = never,
  Actions = unknown,
  Common = never,
  Namespace extends string | undefined = never,
> {
  /** `string | undefined` means that the tool has no namespace. */
  readonly namespace: (namespace: Namespace) => void;
  /** Name of the tool, without its namespace. */
  readonly name: (name: Name) => void;
  /** Union of `TypedAction`, with one member for each action. */
  readonly actions: Actions;
  /** Type of the fields of the common schema. */
  readonly common: (fields: Common) => void;
}

/** The tools that a registry or a builder is known to have, as a union of `TypedTool`. */
export type ToolsOf<R> = R extends { readonly '~tools'?: (tool: infer Tools) => void } ? Tools : never;

/** Adds the prefix of a mount to the namespaces of tools. */
export type MountedAs<Prefix extends string, Tools> =
  Tools extends TypedTool<infer Name, infer Actions, infer Common, infer Namespace>
    ? TypedTool<Name, Actions, Common, undefined extends Namespace ? Prefix : `${Prefix}.${Namespace}`>
    : never;

/** The type that a call resolves to: the data of an action with an output schema, otherwise the result. */
export type OutputOf<Action extends TypedAction> = [Action['outputSchema']] extends [never]
  ? CallToolResult
  : InferInput<Action['outputSchema']>;

/** The type of the arguments that a caller writes. Without fields, it accepts only `{}`. */
export type InputOf<Action extends TypedAction, Common> = OnlyFields<
  InferSource<Action['inputSchema']> & Common
>;
type OnlyFields<Input> = keyof Input extends never ? Readonly<Record<string, never>> : Input;

/** Calls one action. The input may be left out if none of its fields is required. */
export type TypedCall<Input, Output, Options> = (
  ...args: NoFields extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options]
) => Promise<Output>;

/**
 * An action and the rest of the path that leads to it, such as `users.list`. Each level of a typed caller removes the first
 * name.
 */
export interface Step<Path extends string, Action extends TypedAction, Common> {
  /** Names that are still to be read, joined by dots. */
  readonly path: Path;
  /** The action that the whole path names. */
  readonly action: Action;
  /** The fields that the action shares with the other actions of its tool. */
  readonly common: Common;
}
type AnyStep = Step<string, TypedAction, unknown>;

/** One step for each action of a tool. Paths begin with the namespace, if the tool has one. */
export type Steps<Tool> =
  Tool extends TypedTool<infer Name, infer Actions, infer Common, infer Namespace>
    ? ActionSteps<undefined extends Namespace ? Name : `${Namespace}.${Name}`, Actions, Common>
    : never;
type ActionSteps<Path extends string, Action, Common> = Action extends TypedAction
  ? Step<Action['key'] extends string ? `${Path}.${Action['key']}` : Path, Action, Common>
  : never;

/** The first name of a path. A name that TypeScript does not know is left out. */
type Head<Path extends string> = Path extends `${infer First}.${string}` ? Literal<First> : Literal<Path>;
type Literal<Name extends string> = string extends Name ? never : Name;

type Tail<S> =
  S extends Step<`${string}.${infer Rest}`, infer Action, infer Common> ? Step<Rest, Action, Common> : never;

/** The function for a step whose path has one name left. */
type End<S, Options> =
  S extends Step<infer Path, infer Action, infer Common>
    ? Path extends `${string}.${string}`
      ? never
      : TypedCall<InputOf<Action, Common>, OutputOf<Action>, Options>
    : never;

/** A name leads to a function, to further names, or to both: a tool and a namespace may have the same name. */
type Node<S, Options> = [End<S, Options>] extends [never]
  ? Tree<Tail<S>, Options>
  : [Tail<S>] extends [never]
    ? End<S, Options>
    : End<S, Options> & Tree<Tail<S>, Options>;

/** Steps with the same first name reach `Node` as one union. */
type Tree<S, Options> = { readonly [Each in S as Head<PathOf<Each>>]: Node<Each, Options> };
type PathOf<S> = S extends AnyStep ? S['path'] : never;

/** A function for each action, reached by its names: `caller.users.list(input)`. */
export type TypedCaller<Tools, Options = unknown> = Tree<Steps<Tools>, Options>;

/** The result of a call by the name of its tool. For a name that TypeScript does not know, it is any result. */
export type ResultOf<Tools, Request> = Request extends { readonly name: infer Name }
  ? Name extends keyof ByName<Tools>
    ? TypedResult<ActionOf<ByName<Tools>[Name], Request>>
    : CallToolResult
  : CallToolResult;

/** A result whose data has the type of the output schema. A failed call has no data. */
type TypedResult<Action> = [Action] extends [never]
  ? CallToolResult
  : Action extends TypedAction<string | undefined, unknown, infer Output>
    ? [Output] extends [never]
      ? CallToolResult
      : CallToolResult & { structuredContent?: InferInput<Output> }
    : CallToolResult;

type ByName<Tools> = {
  readonly [Tool in Tools as WireNameOf<Tool>]: Tool extends TypedTool<never, infer Actions>
    ? Actions
    : never;
};
type WireNameOf<Tool> =
  Tool extends TypedTool<infer Name, unknown, never, infer Namespace>
    ? undefined extends Namespace
      ? Literal<Name>
      : Literal<`${Namespace}_${Name}`>
    : never;

/** Selects the action by the argument `action`. A tool without keys has one action. */
type ActionOf<Actions, Request> =
  Actions extends TypedAction<infer Key>
    ? Key extends string
      ? Request extends { readonly arguments: { readonly action: Key } }
        ? Actions
        : never
      : Actions
    : never;
