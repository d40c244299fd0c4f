import type { CallToolResult, JsonSchemaObject, KnownClient, SearchWords, View } from '../../index.js';
import type { McpPrompt, McpResource, McpResourceTemplate, McpTool } from '../../model.js';
import type { ProfileName } from '../../profiles/profile.js';
import type { CodeSettings } from '../../code/form/code-settings.js';
import type { SearchContents } from '../../search/form/search-form.js';

export const forms = ['grouped', 'flat', 'search', 'code'] as const;
export type Form = (typeof forms)[number];

/** The part of a server that a command looks at. */
export interface Selection {
  readonly form?: Form | undefined;
  /** The actions that code may call in the code form. */
  readonly code?: CodeSettings | undefined;
  /** The profile for which a file lists its tools. Default: `portable`. */
  readonly profile?: ProfileName | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** Whether the tools of a file are listed as their authors wrote them, instead of for the profile of the view. */
  readonly isAuthored?: boolean | undefined;
}

/** The annotations of a tool or action. A missing one is not declared. */
export interface ListedHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** An action of a grouped tool. */
export interface ListedAction {
  readonly key: string;
  readonly address: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly description?: string | undefined;
  /** `undefined` for an action of a running server, which does not send the annotations of actions. */
  readonly hints?: ListedHints | undefined;
  readonly scopes: readonly string[];
  /** The input of the action, without the argument that names it. */
  readonly inputSchema: JsonSchemaObject;
  /** `undefined` for an action without one, and for an action of a running server. */
  readonly outputSchema?: JsonSchemaObject | undefined;
  readonly taskSupport?: TaskSupport | undefined;
  /** Former keys that still work. A running server does not send them. */
  readonly aliases?: readonly string[] | undefined;
  /** Whether the server fills in missing arguments. */
  readonly isFilled: boolean;
  /** The argument by which a repeated call is recognized. A running server does not send it. */
  readonly idempotencyField?: string | undefined;
  /** Characters of a result that fit into the output budget of the definition. A running server does not send it. */
  readonly outputRoom?: number | undefined;
  /** Whether results are written as TOON. */
  readonly isToon?: boolean | undefined;
  /** Words for the search alone. A running server does not send them. */
  readonly search?: SearchWords | undefined;
}

/** A tool as clients see it, with further details. */
export interface ListedTool {
  readonly tool: McpTool;
  /** The input as its author wrote it, before a profile rewrites it. A running server sends only what `tool` has. */
  readonly authored?: JsonSchemaObject | undefined;
  /** Whether calls may or must run as tasks. A running server that speaks 2026-07-28 does not send it. */
  readonly taskSupport?: TaskSupport | undefined;
  /** Former names that still work. A running server does not send them. */
  readonly aliases?: readonly string[] | undefined;
  /** The address of a tool that consists of one action. A running server does not send it. */
  readonly address?: string | undefined;
  /** `namespace:name` of a tool that has a namespace. */
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly hints: ListedHints;
  readonly scopes: readonly string[];
  readonly isFilled: boolean;
  /** The argument by which a repeated call is recognized. A running server does not send it. */
  readonly idempotencyField?: string | undefined;
  /** Characters of a result that fit into the output budget of the definition. A running server does not send it. */
  readonly outputRoom?: number | undefined;
  /** Whether results are written as TOON. */
  readonly isToon?: boolean | undefined;
  /** Words for the search alone. A running server does not send them. */
  readonly search?: SearchWords | undefined;
  /** The argument of a grouped tool that names the action. */
  readonly discriminator?: string | undefined;
  readonly actions: readonly ListedAction[];
}

export interface ListedToolset {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tools: readonly string[];
}

/** The tools of a file in one form, or the reason why the file cannot have that form. */
export type FormSurface =
  | { readonly form: Form; readonly tools: readonly ListedTool[] }
  | { readonly form: Form; readonly problem: string };

/** The tools that a client gets from a file, or the reason why it gets none. */
export interface ClientView {
  readonly client: KnownClient;
  readonly view?: View | undefined;
  /** The forms that are tried in this order until one suits the client. */
  readonly tried?: readonly Form[] | undefined;
  readonly problem?: string | undefined;
}

/** The cost of a form, or the reason why the server cannot have that form. */
export type FormCost =
  | { readonly form: Form; readonly tools: number; readonly tokens: number }
  | { readonly form: Form; readonly problem: string };

export interface ToolRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LogMessage {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string | undefined;
}

/** Asks the person. The question has the params of `elicitation/create`, and the answer is its result. */
export type AskPerson = (question: Readonly<Record<string, unknown>>) => Promise<{
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}>;

/** Callbacks for the events of a running call. */
export interface CallHooks {
  readonly signal: AbortSignal;
  /** The scopes of the caller, for a tool that runs in this process. */
  readonly scopes: readonly string[];
  readonly onProgress: (progress: Progress) => void;
  readonly onLog: (message: LogMessage) => void;
  readonly ask: AskPerson;
  /** Called with errors of the author's code, for a tool that runs in this process. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A server that can be inspected and called: a loaded file or a connection. A saved list of tools cannot be called. */
export interface OpenTarget {
  readonly kind: 'module' | 'http' | 'stdio' | 'saved';
  readonly server: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly protocol?: string | undefined;
    readonly instructions?: string | undefined;
  };
  /** The exports of a file that were used. */
  readonly found?: string;
  readonly form?: Form | undefined;
  /** Whether a file serves the search form or the code form: its Exposure has it, or the command line chose it. */
  readonly isSearch?: boolean | undefined;
  /** The profile for which a file lists its tools. */
  readonly profile?: ProfileName | undefined;
  readonly tools: readonly ListedTool[];
  readonly toolsets: readonly ListedToolset[];
  listOthers(): Promise<{
    readonly prompts: readonly McpPrompt[];
    readonly resources: readonly McpResource[];
    readonly templates: readonly McpResourceTemplate[];
  }>;
  /** The view of a file for each client in its table of clients. Missing for servers and saved lists. */
  readonly clientViews?: (() => Promise<readonly ClientView[]>) | undefined;
  /** The actions that the search form of a file finds. Missing for servers and saved lists. */
  readonly searchedActions?: (() => Promise<SearchContents>) | undefined;
  /** The cost of each form of a file. Empty for a running server. */
  costs(): Promise<readonly FormCost[]>;
  /** The selected tools of a file in each form. Missing if the target has only one form. */
  readonly surfaces?: (() => Promise<readonly FormSurface[]>) | undefined;
  /**
   * Lists a tool of a file without one of its actions. Resolves to `undefined` for the last action. Missing for servers and
   * saved lists.
   */
  readonly listWithout?: ((tool: string, action: string) => Promise<McpTool | undefined>) | undefined;
  /** Throws if the server does not answer with a result. */
  call(request: ToolRequest, hooks: CallHooks): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** A server that is only looked at. */
export type ListedTarget = Omit<OpenTarget, 'call' | 'close'>;
