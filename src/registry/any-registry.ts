import type { RegisteredTools } from './registered-tools.js';
import type { GetPromptResult } from '../define/prompts.js';
import type { ReadResourceResult } from '../define/resources.js';
import type { CallListeners } from '../engine/trace/call-listeners.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../engine/request.js';
import type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  ProtocolVersion,
} from '../protocol/mcp-types.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import type { AskClient } from '../questions/request-input.js';
import type { RegistryChange, Shared } from '../stores/contracts.js';
import type { ViewPolicy } from '../views/policy.js';
import type { ViewHost } from '../views/view-tree.js';
import type { View, ViewSource } from '../views/view.js';
import type { Completion, CompletionRequest } from './complete.js';
import type { MethodHandler } from './mcp-middleware.js';
import type { WatchRequest } from './watch/resource-watches.js';

/** How many items of each kind a registry has. */
export interface RegistryCounts {
  /** Number of registered tools. */
  readonly tools: number;
  /** Number of registered prompts. */
  readonly prompts: number;
  /** Number of registered resources and resource templates. */
  readonly resources: number;
}

/** The lists that MCP clients read. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** An entry of such a list. */
export interface ListEntry {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** The type of `context.app` in the handlers of a registry. */
export type AppOf<R> = R extends { readonly '~context'?: () => infer App } ? App : unknown;

/**
 * The part of a registry that serving needs. Every `ToolRegistry` fits, whatever its `context.app` is, because serving neither
 * registers handlers nor calls them directly.
 */
export interface AnyRegistry<App = unknown> {
  /** Never set. With it, TypeScript rejects toolsets whose handlers need another type of `context.app`. */
  readonly '~context'?: () => App;
  /** The server's name. */
  readonly name: string;
  /** The server's version. */
  readonly version: string;
  /** Instructions for using the server, which clients may show to models. */
  readonly instructions: string | undefined;
  /** The state that the registry shares with other processes. */
  readonly shared: Shared | undefined;
  /** How many tools, prompts and resources are registered. */
  readonly counts: RegistryCounts;

  /** Runs one call. Errors are part of the result. */
  executeTool(request: ExecuteRequest, view?: View, viewFor?: ViewSource['viewFor']): Promise<CallToolResult>;
  /** The tools in their MCP form. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[];
  /** A view of the tools that a policy selects. */
  view(policy?: ViewPolicy): View;
  /** The prompts in their MCP form. */
  listPrompts(): readonly McpPrompt[];
  /** Fills a prompt. Rejects if the prompt is unknown or its arguments are invalid. */
  getPrompt(request: ExecuteRequest): Promise<GetPromptResult>;
  /** The resources in their MCP form. */
  listResources(): readonly McpResource[];
  /** The resource templates in their MCP form. */
  listResourceTemplates(): readonly McpResourceTemplate[];
  /** Reads a resource. Rejects if it is unknown. */
  readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult>;
  /** Suggests values for an argument of a prompt or a variable of a resource template. */
  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion>;
  /** Calls the listener after every change of the registered items. Returns a function that unsubscribes it. */
  onChange(listener: (change: RegistryChange) => void): () => void;
  /** Tells clients that the list of tools has changed. */
  notifyToolsChanged(): void;

  /** @internal Whether the methods of prompts and resources are served. A kind may have no items at the moment. */
  readonly offers: { readonly prompts: boolean; readonly resources: boolean };
  /** @internal Tells a resource that a client is subscribed to it. Returns a function that ends the subscription. */
  watchResource(uri: string, request: WatchRequest): () => void;
  /** @internal The name, the options and the prompts and resources that all views of the registry share. */
  readonly viewHost: ViewHost;
  /** @internal The maximum size of results, unless a definition sets its own. */
  readonly outputBudget: OutputBudget | undefined;
  /** @internal Writes a value as the text of a result. */
  format(value: unknown): string;
  /** @internal The mounted registries by prefix. */
  readonly mounted: ReadonlyMap<string, AnyRegistry>;
  /** @internal Lets the middleware of mounted registries change their parts of a list. `tools` are those of the view. */
  interceptList(
    kind: ListKind,
    request: McpRequest,
    list: readonly ListEntry[],
    tools?: View['tools'],
  ): Promise<readonly ListEntry[]>;
  /** @internal Whether any middleware of `use` runs, also in mounted registries. Without it, equal requests get equal answers. */
  readonly hasMiddleware: boolean;
  /** @internal Whether anything reads the client's name, which is expensive to determine. */
  readonly namesClients: boolean;
  /** @internal The tenant that the operator's `tenant` names for a request. */
  tenantOf(request: RequestOptions): string | undefined;
  /** @internal Runs a request through the middleware of `use`. */
  intercept(request: McpRequest, handler: MethodHandler): Promise<unknown>;
  /** @internal Runs a call for a client, as a task if the action and the client allow it. */
  callOrStartTask(
    request: ExecuteRequest,
    view?: View,
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult>;
  /** @internal The methods of the tasks extension, or none if no action can run as a task. */
  readonly taskMethods: Readonly<Record<string, MethodHandler>>;
  /** @internal Asks a client without a connection: the questions are the answer to its request. */
  askInRounds(request: Omit<RoundsRequest, 'holder'>, options: RequestOptions): AskClient;

  /** @internal The listeners of `observeCalls`. */
  observed: CallListeners | undefined;

  /** @internal The compiled tools, and the views over them. */
  readonly tools: RegisteredTools;
}
