/**
 * The API of the page: JSON over HTTP below `/api/`. The page in `page/` imports these types, so this file must not import values.
 *
 * | method and path | answer |
 * |---|---|
 * | GET /api/server | `ServerInfo` |
 * | GET /api/tree | `Tree` |
 * | GET /api/tree/tokens | `TreeTokens` |
 * | GET /api/tree/findings | `TreeFindings` |
 * | GET /api/item?address= | `ItemDetail` |
 * | GET /api/item/findings?address= | the findings of the linter about the item, a list of `Finding` |
 * | GET /api/listing?address=&form=&profile= | `Listing`: the text that a model reads about the item |
 * | GET /api/cost?form=&profile= | `CostReport` |
 * | GET /api/surfaces | `SurfaceCosts`: every form for every profile |
 * | POST /api/view with a `Perspective` | `ViewReport` |
 * | GET /api/search?query=&limit=&tool= | `SearchReport`; `tool`, which may be repeated, is an address to explain even if it is not found |
 * | GET /api/declarations | `CodeDeclarations` |
 * | GET /api/diff | `DiffReport` |
 * | GET /api/others | `Others`: prompts, resources and resource templates |
 * | GET /api/events | a stream of `PageEvent` as server-sent events, which begins with the recent calls |
 * | GET /api/live | `LiveStatistics` |
 * | /mcp/FORM/PROFILE | the MCP endpoint through which the page makes calls, in both eras |
 *
 * Every request has the token of the address in the header `x-toolfold-token`. A failure is answered with `ApiProblem` and a
 * status of 400 or above. Requests to `/mcp` may have the header `x-toolfold-caller`: a `PageCaller` as JSON in base64url.
 */
import type { Comparison, Finding } from '@toolfold/analysis';
import type { CostParts, Form, ListedHints, TaskSupport } from '@toolfold/analysis/internal';
import type { McpPrompt, McpResource, McpResourceTemplate, McpTool } from 'toolfold/model';
import type { JsonSchemaObject } from 'toolfold';
import type { ProfileName } from '@toolfold/profiles';
import type { SearchExplanation } from '@toolfold/search';
import type { EditorScheme } from './api/editor.js';

export type { Change, ChangeSeverity } from '@toolfold/analysis';
export type {
  Comparison,
  CostParts,
  Finding,
  Form,
  ListedHints,
  ProfileName,
  SearchExplanation,
  TaskSupport,
};
export type { JsonSchemaObject, McpPrompt, McpResource, McpResourceTemplate, McpTool };

export interface ApiProblem {
  readonly problem: {
    readonly message: string;
    /** Suggests a fix to the developer. */
    readonly hint?: string | undefined;
  };
}

/** `none` shows the tools as their authors wrote them. */
export type ShownProfile = ProfileName | 'none';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string | undefined;
  /** A file, URL or command, or the name of the registry. */
  readonly target: string;
  /** Command-line words that name the target: a file, a URL and its headers without values, or `--` and a command. */
  readonly words?: readonly string[] | undefined;
  /** False for a saved list of tools, which has no server. */
  readonly canCall: boolean;
  /** Whether Toolfold forwards the calls of the page to a separate server, as new messages. */
  readonly isForwarded?: boolean | undefined;
  /** Why the page shows an old version or nothing, in several lines. Set if the server is down or its file does not load. */
  readonly problem?: string | undefined;
  /** All forms, with the reason why the server cannot have one. */
  readonly forms: readonly { readonly form: Form; readonly problem?: string | undefined }[];
  /** Form and profile that a client gets by default. */
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly profiles: readonly ShownProfile[];
  /** Rows of the table of clients, for `Perspective.client`. */
  readonly clients: readonly {
    readonly name: string;
    readonly version?: string | undefined;
    readonly profile: ProfileName;
    readonly maxTools?: number | undefined;
  }[];
  readonly toolsets: readonly ToolsetInfo[];
  readonly counts: {
    readonly tools: number;
    readonly actions: number;
    readonly prompts: number;
    readonly resources: number;
    readonly templates: number;
  };
  /** All scopes that actions require, sorted. */
  readonly scopes: readonly string[];
  /** The actions that code may call, or why code cannot run here. */
  readonly code: { readonly allow: 'read' | 'write' } | { readonly problem: string };
  /** Scheme of the addresses that open a file in the developer's editor. */
  readonly editor: EditorScheme;
  /** The lockfile for `/api/diff`, if it exists. */
  readonly lockfile?: string | undefined;
  /** Increases with every change of the tools, prompts and resources. */
  readonly revision: number;
}

interface ToolsetInfo {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tools: number;
  /** Why the toolset cannot be loaded. The page shows no tools of it. */
  readonly problem?: string | undefined;
}

export interface FindingCounts {
  readonly error: number;
  readonly warning: number;
  readonly note: number;
}

/** Toolsets, tools, groups and actions in preorder: the children of a node follow it, one level deeper. */
export interface Tree {
  readonly revision: number;
  readonly nodes: readonly TreeNode[];
}

/** Tokens (o200k) of the grouped tools in the profile of the server. */
export interface TreeTokens {
  /** Counts a tool of two toolsets once. */
  readonly total: number;
  /** Tokens of tools and toolsets, by node id. */
  readonly byNode: Readonly<Record<string, number>>;
}

export interface TreeFindings {
  /** Findings about the list as a whole. */
  readonly ofList: readonly Finding[];
  /** Findings of a node and its descendants, by node id. Nodes without findings are missing. */
  readonly byNode: Readonly<Record<string, FindingCounts>>;
}

export interface TreeNode {
  /** Unique in the tree and stable across reloads. A tool of two toolsets has two nodes. */
  readonly id: string;
  readonly kind: 'toolset' | 'tool' | 'group' | 'action';
  readonly depth: number;
  /** Number of descendants. */
  readonly size: number;
  readonly name: string;
  /** Address for `/api/item`: `tool` or `tool/action`. Missing for toolsets and groups. */
  readonly address?: string | undefined;
  /** Truncated after 200 characters. */
  readonly description?: string | undefined;
  readonly hints?: ListedHints | undefined;
  readonly scopes: readonly string[];
}

/** A tool or an action with its schemas, as its author wrote it. */
export interface ItemDetail {
  readonly address: string;
  readonly kind: 'tool' | 'action';
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Tool of an action, and the argument that selects the action. */
  readonly tool: string;
  readonly discriminator?: string | undefined;
  readonly group?: string | undefined;
  readonly toolsets: readonly string[];
  /** Addresses of the actions, for a grouped tool. */
  readonly actions: readonly string[];
  readonly hints: ListedHints;
  readonly scopes: readonly string[];
  readonly aliases: readonly string[];
  readonly version?: string | undefined;
  readonly taskSupport?: TaskSupport | undefined;
  /** The argument that identifies a repeated call. */
  readonly idempotencyField?: string | undefined;
  /** Input without the argument that selects the action. */
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** What a model reads about an item in one form and profile. */
export type Listing =
  | {
      readonly form: Form;
      readonly profile: ShownProfile;
      /** The listed tool that clients call: the action itself, its grouped tool, or a tool of the search form. */
      readonly tool: McpTool;
      /** Answer of `describe_tools` for the item, in the search and code forms. */
      readonly described?: string | undefined;
      /** Name of the tool to call for the item, and the arguments that are fixed. */
      readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
      /** Tokens of the tool, counted with o200k. */
      readonly tokens: number;
      /** Rewrites that the profile required. */
      readonly changes: readonly {
        readonly rule: string;
        readonly pointer: string;
        readonly message: string;
      }[];
    }
  | { readonly form: Form; readonly profile: ShownProfile; readonly problem: string };

export interface CostReport {
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly tokenizer: string;
  readonly counted: string;
  readonly isExact: boolean;
  readonly tokens: number;
  readonly parts: CostParts;
  /** Toolsets, or a single node for a server without toolsets. A tool of several toolsets counts in the first. */
  readonly nodes: readonly CostNode[];
}

export interface CostNode {
  readonly name: string;
  readonly kind: 'toolset' | 'tool' | 'group' | 'action';
  readonly address?: string | undefined;
  readonly tokens: number;
  readonly parts?: CostParts | undefined;
  readonly children: readonly CostNode[];
}

export interface SurfaceCosts {
  readonly tokenizer: string;
  readonly rows: readonly (
    | {
        readonly form: Form;
        readonly profile: ShownProfile;
        readonly tools: number;
        readonly tokens: number;
      }
    | { readonly form: Form; readonly profile: ShownProfile; readonly problem: string }
  )[];
}

/** A caller with its client and selection. Missing fields default to the configuration of the server. */
export interface Perspective {
  readonly form?: Form | undefined;
  readonly profile?: ShownProfile | undefined;
  /** Determines form and profile as for a real client, unless the perspective sets them. */
  readonly client?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly caller?: PageCaller | undefined;
  /** Whether callers without a scope do not see its actions. Default: as the server is configured. */
  readonly hidesScopes?: boolean | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

/** The caller that the page uses for its calls. Developers may impersonate any caller. */
export interface PageCaller {
  readonly clientId?: string | undefined;
  /** Default: all scopes that actions require. */
  readonly scopes?: readonly string[] | undefined;
  /** Further claims of the token, passed as `auth.extra`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

export interface ViewReport {
  readonly form: Form;
  readonly profile: ShownProfile;
  /** Why the client gets this form and profile. */
  readonly reason?: string | undefined;
  readonly tokens: number;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly tokens: number;
    /** Addresses of the actions that the tool calls. */
    readonly addresses: readonly string[];
  }[];
  /** Visible actions that require a scope that the caller lacks. Calling one returns a challenge. */
  readonly challenged: readonly { readonly address: string; readonly scopes: readonly string[] }[];
  readonly hidden: readonly { readonly address: string; readonly reasons: readonly string[] }[];
}

/** Search results with their explanations, as in `toolfold search explain`. */
export interface SearchReport extends SearchExplanation {
  readonly query: string;
  readonly searched: number;
  readonly unmatched: readonly string[];
  /** Descriptions of `tools` by address, truncated after 200 characters. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
}

/** Functions that code may call, for completion in the editor. */
export interface CodeDeclarations {
  readonly allow: 'read' | 'write';
  readonly functions: readonly {
    /** Path of the function, such as `github.issues.create`. */
    readonly path: string;
    readonly address: string;
    readonly signature: string;
    readonly description?: string | undefined;
    readonly fields: readonly {
      readonly name: string;
      readonly type: string;
      readonly isRequired: boolean;
      readonly description?: string | undefined;
    }[];
  }[];
}

export interface DiffReport {
  /** Path of the lockfile, whether or not it exists. */
  readonly lockfile: string;
  /** Missing if there is no lockfile. */
  readonly comparison?: Comparison | undefined;
  /** Command line that writes or updates the lockfile. */
  readonly command: string;
}

export interface Others {
  readonly prompts: readonly McpPrompt[];
  readonly resources: readonly McpResource[];
  readonly templates: readonly McpResourceTemplate[];
}
