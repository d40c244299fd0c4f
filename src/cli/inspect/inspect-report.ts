import type { McpTool } from '../../model.js';
import { estimateTokens, tokenMethod } from './estimate-tokens.js';
import { findWarnings } from './find-warnings.js';
import type { Warning } from './find-warnings.js';
import type { ListedAction, ListedHints, ListedTool } from '../target/listed-tool.js';
import type { FormCost, ListedToolset, OpenTarget } from '../target/open-target.js';

export interface ReportedAction {
  readonly address: string;
  readonly group?: ListedAction['group'];
  readonly description?: string | undefined;
  /** Absent where only the server knows them. */
  readonly annotations?: ListedHints | undefined;
  readonly scopes: readonly string[];
}

export interface ReportedTool {
  readonly name: string;
  /** `namespace:name` of a tool that has a namespace. */
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations: ListedHints;
  readonly scopes: readonly string[];
  readonly tokens: number;
  readonly discriminator?: string | undefined;
  readonly actions?: readonly ReportedAction[] | undefined;
}

/** Everything that `inspect` has found out, as `--json` prints it. */
export interface Report {
  readonly source: string;
  readonly kind: OpenTarget['kind'];
  readonly server: OpenTarget['server'];
  readonly found?: string | undefined;
  readonly form?: string | undefined;
  readonly tokens: { readonly total: number; readonly method: string };
  readonly tools: readonly ReportedTool[];
  readonly toolsets: readonly ListedToolset[];
  readonly prompts: readonly {
    readonly name: string;
    readonly description?: string;
    readonly arguments: readonly string[];
  }[];
  readonly resources: readonly {
    readonly uri: string;
    readonly name: string;
    readonly description?: string;
  }[];
  readonly forms: readonly FormCost[];
  readonly warnings: readonly Warning[];
}

/** Finds out everything about a server that was opened. */
export async function createReport(source: string, opened: OpenTarget): Promise<Report> {
  const { kind, server, found, form, tools, toolsets } = opened;
  const [{ prompts, resources, templates }, forms] = await Promise.all([opened.listOthers(), opened.costs()]);
  const reported = tools.map(reportTool);
  return {
    source,
    kind,
    server,
    found,
    form,
    tokens: { total: reported.reduce((sum, { tokens }) => sum + tokens, 0), method: tokenMethod },
    tools: reported,
    toolsets,
    prompts: prompts.map(({ name, description, arguments: args }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      arguments: (Array.isArray(args) ? args : []).map(
        (each) => `${each.name}${each.required === true ? '' : '?'}`,
      ),
    })),
    resources: [
      ...resources.map(({ uri, name, description }) => ({
        uri,
        name,
        ...(description === undefined ? {} : { description }),
      })),
      ...templates.map(({ uriTemplate, name, description }) => ({
        uri: uriTemplate,
        name,
        ...(description === undefined ? {} : { description }),
      })),
    ],
    forms,
    warnings: findWarnings(tools),
  };
}

function reportTool(listed: ListedTool): ReportedTool {
  const { tool, id, version, hints, scopes, discriminator, actions } = listed;
  return {
    name: tool.name,
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
    title: tool.title,
    description: tool.description,
    annotations: hints,
    scopes,
    tokens: estimateTokens(tool),
    ...(discriminator === undefined
      ? {}
      : {
          discriminator,
          actions: actions.map(({ address, group, description, hints: own, scopes: needed }) => ({
            address,
            ...(group ? { group } : {}),
            description,
            ...(own ? { annotations: own } : {}),
            scopes: needed,
          })),
        }),
  };
}

/** Everything about one tool or action: what `--tool` shows. */
export interface Detail {
  readonly address: string;
  readonly version?: string | undefined;
  readonly tool: Omit<McpTool, 'inputSchema' | 'outputSchema'>;
  readonly annotations?: ListedHints | undefined;
  readonly scopes: readonly string[];
  readonly tokens: number;
  readonly actions?: readonly string[];
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

export function createDetail(
  { tool, id, version, hints, scopes, actions }: ListedTool,
  action: ListedAction | undefined,
): Detail {
  const { inputSchema, outputSchema, ...rest } = tool;
  return {
    address: action?.address ?? id ?? tool.name,
    ...(version === undefined ? {} : { version }),
    tool: action ? { ...rest, description: action.description ?? '' } : rest,
    annotations: action ? action.hints : hints,
    scopes: action?.scopes ?? scopes,
    tokens: estimateTokens(tool),
    ...(actions.length > 0 && !action ? { actions: actions.map(({ address }) => address) } : {}),
    inputSchema: action?.inputSchema ?? inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
  };
}
