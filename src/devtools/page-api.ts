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
import type { Comparison } from '../analysis/diff/compare-surfaces.js';
import type { Finding } from '../analysis/lint/finding.js';
import type { Form, ListedHints, TaskSupport } from '../analysis/target/opened-target.js';
import type { CostParts } from '../analysis/tokens/tool-cost.js';
import type { McpPrompt, McpResource, McpResourceTemplate, McpTool } from '../model.js';
import type { JsonSchemaObject } from '../index.js';
import type { ProfileName } from '../profiles/profile.js';
import type { SearchExplanation } from '../search.js';

export type { Change, Severity as ChangeSeverity } from '../analysis/diff/change.js';
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
    /** A suggestion for the developer. */
    readonly hint?: string | undefined;
  };
}

/** `none` shows the tools as their authors wrote them. */
export type ShownProfile = ProfileName | 'none';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string | undefined;
  /** The file, URL or command that the page shows, or the name of the registry. */
  readonly target: string;
  /** The words of a command line that name the target: a file, a URL and its headers without values, or `--` and a command. */
  readonly words?: readonly string[] | undefined;
  /** Whether tools can be called. A saved list of tools has no server behind it. */
  readonly canCall: boolean;
  /** Whether the target is a server of its own, to which Toolfold forwards the calls of the page in messages of its own. */
  readonly isForwarded?: boolean | undefined;
  /** The reason why the page shows an old version or nothing, in several lines: the server is down, or its file cannot be loaded. */
  readonly problem?: string | undefined;
  /** The forms, and why the server cannot have one of them. */
  readonly forms: readonly { readonly form: Form; readonly problem?: string | undefined }[];
  /** The form and the profile that the server offers unless a client gets others. */
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly profiles: readonly ShownProfile[];
  /** The clients of the table of clients, for `Perspective.client`. */
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
  /** Every scope that an action needs, sorted. */
  readonly scopes: readonly string[];
  /** The code form: the actions that code may call, or why code cannot run here. */
  readonly code: { readonly allow: 'read' | 'write' } | { readonly problem: string };
  /** The lockfile that `/api/diff` reads, if there is one. */
  readonly lockfile?: string | undefined;
  /** Grows with every change of the tools, prompts and resources. */
  readonly revision: number;
}

export interface ToolsetInfo {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tools: number;
  /** Why the toolset cannot be loaded. Its tools are missing on the page. */
  readonly problem?: string | undefined;
}

export interface FindingCounts {
  readonly error: number;
  readonly warning: number;
  readonly note: number;
}

/** The tree of toolsets, tools, groups and actions, in order: each node is followed by its children, which are one level deeper. */
export interface Tree {
  readonly revision: number;
  readonly nodes: readonly TreeNode[];
}

/** Tokens of the grouped tools in the profile of the server, counted with o200k. */
export interface TreeTokens {
  /** A tool of two toolsets counts once. */
  readonly total: number;
  /** By the id of the node, for tools and toolsets. */
  readonly byNode: Readonly<Record<string, number>>;
}

/** The findings of the linter. */
export interface TreeFindings {
  /** Findings about the whole list. */
  readonly ofList: readonly Finding[];
  /** Findings of a node and of the nodes below it, by the id of the node. Nodes without findings are missing. */
  readonly byNode: Readonly<Record<string, FindingCounts>>;
}

export interface TreeNode {
  /** Unique in the tree, and stable across reloads. A tool of two toolsets has two nodes. */
  readonly id: string;
  readonly kind: 'toolset' | 'tool' | 'group' | 'action';
  readonly depth: number;
  /** Number of nodes below this one. */
  readonly size: number;
  readonly name: string;
  /** The address for `/api/item`: `tool` or `tool/action`. Missing for toolsets and groups. */
  readonly address?: string | undefined;
  /** The description, cut after 200 characters. */
  readonly description?: string | undefined;
  readonly hints?: ListedHints | undefined;
  readonly scopes: readonly string[];
}

/** Everything about a tool or an action, as its author wrote it. */
export interface ItemDetail {
  readonly address: string;
  readonly kind: 'tool' | 'action';
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The tool of an action, and the argument that names the action. */
  readonly tool: string;
  readonly discriminator?: string | undefined;
  readonly group?: string | undefined;
  readonly toolsets: readonly string[];
  /** The addresses of the actions of a grouped tool. */
  readonly actions: readonly string[];
  readonly hints: ListedHints;
  readonly scopes: readonly string[];
  readonly aliases: readonly string[];
  readonly version?: string | undefined;
  readonly taskSupport?: TaskSupport | undefined;
  /** The argument by which a repeated call is recognized. */
  readonly idempotencyField?: string | undefined;
  /** The input without the argument that names the action. */
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject | undefined;
}

/** The text that a model reads about an item, in one form and for one profile. */
export type Listing =
  | {
      readonly form: Form;
      readonly profile: ShownProfile;
      /** The listed tool through which clients call the item: the action itself, the grouped tool, or a tool of the search form. */
      readonly tool: McpTool;
      /** For the search and code forms: what `describe_tools` answers for the item. */
      readonly described?: string | undefined;
      /** The name of the tool that a call of the item needs in this form, and the fixed arguments. */
      readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
      /** Tokens of the tool, counted with o200k. */
      readonly tokens: number;
      /** The rewrites of the profile. */
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
  /** Toolsets, or one node for all tools of a server without toolsets. A tool counts in its first toolset. */
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

/** A caller, its client and its selection. Missing fields default to the configuration of the server. */
export interface Perspective {
  readonly form?: Form | undefined;
  readonly profile?: ShownProfile | undefined;
  /** The client, which gets the form and the profile that the server gives it, unless they are given. */
  readonly client?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly caller?: PageCaller | undefined;
  /** Whether actions are hidden from callers without their scopes. Default: as the server is configured. */
  readonly hidesScopes?: boolean | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

/** The caller as which the page looks and calls. The page is for developers, so it may be anybody. */
export interface PageCaller {
  readonly clientId?: string | undefined;
  /** Default: every scope that an action needs. */
  readonly scopes?: readonly string[] | undefined;
  /** Further claims of the token, as `auth.extra`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

export interface ViewReport {
  readonly form: Form;
  readonly profile: ShownProfile;
  /** The reason why the given client gets this form and profile. */
  readonly reason?: string | undefined;
  readonly tokens: number;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly tokens: number;
    /** The addresses of the actions behind the tool. */
    readonly addresses: readonly string[];
  }[];
  /** Actions that can be called but need a scope that the caller lacks, so that a call answers with a challenge. */
  readonly challenged: readonly { readonly address: string; readonly scopes: readonly string[] }[];
  readonly hidden: readonly { readonly address: string; readonly reasons: readonly string[] }[];
}

/** The hits of a question with their reasons, as `toolfold search explain` shows them. */
export interface SearchReport extends SearchExplanation {
  readonly query: string;
  readonly searched: number;
  readonly unmatched: readonly string[];
  /** The descriptions of `tools` by address, cut after 200 characters. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
}

/** The functions that code may call, for completion. */
export interface CodeDeclarations {
  readonly allow: 'read' | 'write';
  readonly functions: readonly {
    /** Such as `github.issues.create`. */
    readonly path: string;
    readonly address: string;
    readonly signature: string;
    readonly description?: string | undefined;
    /** The names of the properties of its argument. */
    readonly fields: readonly {
      readonly name: string;
      readonly type: string;
      readonly isRequired: boolean;
      readonly description?: string | undefined;
    }[];
  }[];
}

export interface DiffReport {
  /** The lockfile, or where one is expected. */
  readonly lockfile: string;
  /** Missing if there is no lockfile. */
  readonly comparison?: Comparison | undefined;
  /** The command that writes or updates the lockfile. */
  readonly command: string;
}

export interface Others {
  readonly prompts: readonly McpPrompt[];
  readonly resources: readonly McpResource[];
  readonly templates: readonly McpResourceTemplate[];
}
