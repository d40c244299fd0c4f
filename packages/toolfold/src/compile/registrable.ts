import type { ContentCheck, StrictCheck, ValueCheck } from '../define/handler-value.js';
import type { Handler, ToolCall, ToolDefinition } from '../define/tool-definition.js';
import type { TypedAction, TypedTool } from '../define/typed-tool.js';
import type { InferInput, SchemaSource } from '@toolfold/schema';
import type { AnyRegistrable, CompilableTool } from './compile-item.js';

/** A definition that is registered without a builder. It needs a description and an input schema. */
export type OwnDefinition<
  App,
  Name extends string,
  S extends SchemaSource,
  O extends SchemaSource,
  Value,
  Namespace extends string | undefined,
> = ToolDefinition<S, App, unknown, O, Name, Value> & {
  readonly description: string;
  readonly inputSchema: S;
  readonly namespace?: Namespace;
} & ContentCheck<Value>;

/** Makes the `TypedTool` of a definition that is registered without a builder. */
export type OwnTool<Name extends string, S, O, Namespace extends string | undefined> = TypedTool<
  Name,
  TypedAction<undefined, S, O>,
  unknown,
  Namespace
>;

/**
 * A list of builders and definitions. TypeScript infers one list of types from each property, because it cannot infer a
 * definition as a whole before it knows the input of its handler.
 */
export type Items<
  App,
  Names extends readonly unknown[],
  Inputs extends readonly unknown[],
  Outputs extends readonly unknown[],
  Values extends readonly unknown[],
  Namespaces extends readonly unknown[],
  Tools extends readonly unknown[],
  List = never,
> = {
  [K in keyof Values]:
    | (unknown extends At<Tools, K>
        ? Definition<App, At<Inputs, K>, At<Outputs, K>, Values[K], Values>
        : CompilableTool<App>)
    | Loaded<Values>
    | List;
} & { [K in keyof Names]: Loose & { readonly name?: Names[K] } } & {
  [K in keyof Inputs]: Loose & { readonly inputSchema?: Inputs[K] };
} & { [K in keyof Outputs]: Loose & { readonly outputSchema?: Outputs[K] } } & {
  [K in keyof Namespaces]: Loose & { readonly namespace?: Namespaces[K] };
} & { [K in keyof Tools]: Loose & { readonly '~tools'?: (tool: Tools[K]) => void } };

/**
 * A list of builders and definitions that is one argument. TypeScript infers one type for each item: the tools of a builder, or
 * the schema of a definition.
 */
export type ItemList<App, Parts extends readonly unknown[]> = {
  [K in keyof Parts]: CompilableTool<App, Parts[K]> | ListedDefinition<App, Parts[K]> | Loaded<Parts>;
};

type ListedDefinition<App, Input> = Omit<ToolDefinition<InputSource<Input>, App>, 'handler'> & {
  readonly description: string;
  readonly inputSchema: Input;
  readonly handler: Handler<InferInput<Input>, App>;
};

/** Selects the tools of the builders in such a list. */
export type ToolsInList<Parts extends readonly unknown[]> = Extract<Parts[number], TypedTool>;

/** Lists that `register` accepts between single items. */
export type Lists<App, Values> = Values extends readonly [unknown]
  ? readonly CompilableTool<App>[]
  : readonly Listed<App>[];

/** A builder or definition in such a list. `handler` is a method, because TypeScript then accepts handlers with any input. */
type Listed<App> =
  | CompilableTool<App>
  | (Omit<AnyRegistrable, 'handler'> & { handler(call: ToolCall<App, object>): unknown });

type Definition<App, Input, Output, Value, List> = ToolDefinition<
  InputSource<Input>,
  App,
  unknown,
  Known<Output>,
  string,
  Value
> & { readonly description: string; readonly inputSchema: InputSource<Input> } & (List extends readonly [
    unknown,
  ]
    ? StrictCheck<Value, Known<Output>>
    : ValueCheck<Value, Known<Output>>);
type InputSource<Input> = Input extends SchemaSource ? Input : SchemaSource;
type Known<Output> = unknown extends Output ? never : Output extends SchemaSource ? Output : SchemaSource;

/** A list whose length TypeScript does not know, such as tools that were loaded from a folder. */
type Loaded<List extends readonly unknown[]> = number extends List['length'] ? AnyRegistrable : never;

/** Accepts every property of builders and definitions, so that each list of types is inferred from its own property alone. */
type Loose = { readonly [Name in keyof ToolDefinition | keyof CompilableTool | 'length']?: unknown };

type At<List, K> = K extends keyof List ? List[K] : unknown;

/** Makes one `TypedTool` for each item of a list. */
export type ToolsIn<
  Names extends readonly unknown[],
  Inputs extends readonly unknown[],
  Outputs extends readonly unknown[],
  Namespaces extends readonly unknown[],
  Tools extends readonly unknown[],
> = {
  [K in keyof Names]: unknown extends At<Tools, K>
    ? OwnTool<Text<Names[K]>, At<Inputs, K>, Known<At<Outputs, K>>, TextIfGiven<At<Namespaces, K>>>
    : At<Tools, K>;
}[number];

type Text<T> = T extends string ? T : string;
type TextIfGiven<T> = unknown extends T ? undefined : [T] extends [never] ? undefined : Text<T>;
