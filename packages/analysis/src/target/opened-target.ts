import type { CallToolResult, JsonSchemaObject, KnownClient, SearchWords, View } from 'toolfold';
import type { McpPrompt, McpResource, McpResourceTemplate, McpTool } from 'toolfold/model';
import type { SlowPart } from './slow-parts.js';
import type { ProfileName } from '@toolfold/profiles';
import type { CodeSettings } from '@toolfold/code';
import type { SearchContents } from '@toolfold/search/internal';

export const forms = ['grouped', 'flat', 'search', 'code'] as const;
export type Form = (typeof forms)[number];

/** Limits a command to a part of the server. */
export interface Selection {
  readonly form?: Form | undefined;
  readonly code?: CodeSettings | undefined;
  /** The profile for which a file lists its tools. Default: `portable`. */
  readonly profile?: ProfileName | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** Whether to list the tools of a file as written, instead of lowered for the profile of the view. */
  readonly isAuthored?: boolean | undefined;
  /** Whether to list every action of a file that is served in the search or code form. */
  readonly isWhole?: boolean | undefined;
}

/** Annotations of a tool or action. Missing ones are not declared. */
export interface ListedHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** What tools and actions have in common. A running server sends none of the optional fields, except for the task support of a tool. */
interface ListedItem {
  readonly scopes: readonly string[];
  readonly taskSupport?: TaskSupport | undefined;
  /** Former names, or former keys of an action, that still work. */
  readonly aliases?: readonly string[] | undefined;
  /** Whether the server fills in missing arguments. */
  readonly isFilled: boolean;
  /** The argument that identifies a repeated call. */
  readonly idempotencyField?: string | undefined;
  /** Characters of a result that fit into the output budget of the definition. */
  readonly outputRoom?: number | undefined;
  readonly isToon?: boolean | undefined;
  /** Slow parts of Zod 4 schemas. */
  readonly slowParts?: readonly SlowPart[] | undefined;
  /** Words that only the search reads. */
  readonly search?: SearchWords | undefined;
}

export interface ListedAction extends ListedItem {
  readonly key: string;
  readonly address: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly description?: string | undefined;
  /** `undefined` for an action of a running server, which does not send the annotations of actions. */
  readonly hints?: ListedHints | undefined;
  /** The input of the action, without the argument that names it. */
  readonly inputSchema: JsonSchemaObject;
  /** `undefined` if the action declares none, and for actions of a running server. */
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** A tool as clients see it, with details that only a loaded file knows. */
export interface ListedTool extends ListedItem {
  readonly tool: McpTool;
  /** The input as written, before a profile lowers it. A running server sends only the lowered one. */
  readonly authored?: JsonSchemaObject | undefined;
  /** The address of a tool that consists of one action. A running server does not send it. */
  readonly address?: string | undefined;
  /** `namespace:name` of a tool that has a namespace. */
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly hints: ListedHints;
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

export type FormSurface =
  | { readonly form: Form; readonly tools: readonly ListedTool[] }
  | { readonly form: Form; readonly problem: string };

export interface ClientView {
  readonly client: KnownClient;
  readonly view?: View | undefined;
  /** The forms that are tried, in this order, until the client accepts one. */
  readonly tried?: readonly Form[] | undefined;
  readonly problem?: string | undefined;
}

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

/** Asks the user. Takes the params of `elicitation/create` and resolves to its result. */
export type AskPerson = (question: Readonly<Record<string, unknown>>) => Promise<{
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}>;

export interface CallHooks {
  readonly signal: AbortSignal;
  /** Scopes of the caller. Only for tools that run in this process. */
  readonly scopes: readonly string[];
  readonly onProgress: (progress: Progress) => void;
  readonly onLog: (message: LogMessage) => void;
  readonly ask: AskPerson;
  /** Called with errors of the author's code. Only for tools that run in this process. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A server that can be inspected and called: a loaded file or a connection. A saved list cannot be called. */
export interface OpenTarget {
  readonly kind: 'module' | 'http' | 'stdio' | 'saved';
  readonly server: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly protocol?: string | undefined;
    readonly instructions?: string | undefined;
  };
  /** The names of the exports that were used. Only for a file. */
  readonly found?: string;
  readonly form?: Form | undefined;
  /** Whether a file is served in the search or code form, by its description or by the command line. */
  readonly isSearch?: boolean | undefined;
  /** Whether code calls the actions of a file. */
  readonly isCode?: boolean | undefined;
  /** The profile for which the tools of a file are listed. */
  readonly profile?: ProfileName | undefined;
  readonly tools: readonly ListedTool[];
  readonly toolsets: readonly ListedToolset[];
  listOthers(): Promise<{
    readonly prompts: readonly McpPrompt[];
    readonly resources: readonly McpResource[];
    readonly templates: readonly McpResourceTemplate[];
  }>;
  /** The tools that each known client gets from a file. Missing for servers and saved lists. */
  readonly clientViews?: (() => Promise<readonly ClientView[]>) | undefined;
  /** The actions that the search form of a file indexes. Missing for servers and saved lists. */
  readonly searchedActions?: (() => Promise<SearchContents>) | undefined;
  /** The cost of each form of a file. Resolves to an empty list for a running server. */
  costs(): Promise<readonly FormCost[]>;
  /** The selected tools of a file in each form. Missing if the target has only one form. */
  readonly surfaces?: (() => Promise<readonly FormSurface[]>) | undefined;
  /**
   * Lists a tool of a file without one of its actions. Resolves to `undefined` for the last action. Missing for servers and saved
   * lists.
   */
  readonly listWithout?: ((tool: string, action: string) => Promise<McpTool | undefined>) | undefined;
  /** Throws if the server does not return a result. */
  call(request: ToolRequest, hooks: CallHooks): Promise<CallToolResult>;
  close(): Promise<void>;
}

export type ListedTarget = Omit<OpenTarget, 'call' | 'close'>;
