import type { McpTool } from 'toolfold/model';
import type { ClientReport } from './clients.js';
import { runInSlices } from '@toolfold/search/internal';
import { countedFields, countTool, createTokenCounter, TOKENIZER } from '@toolfold/testing/internal';
import type { TokenCounter } from '@toolfold/testing/internal';
import { eachInSteps } from '@toolfold/analysis/internal';
import type {
  FormCost,
  ListedAction,
  ListedHints,
  ListedTool,
  ListedToolset,
  OpenTarget,
} from '@toolfold/analysis/internal';

export interface ReportedAction extends Pick<ListedAction, 'address' | 'group' | 'description' | 'scopes'> {
  /** Missing for actions of a running server, which does not send them. */
  readonly annotations?: ListedHints | undefined;
}

export interface ReportedTool extends Pick<ListedTool, 'id' | 'version' | 'scopes' | 'discriminator'> {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations: ListedHints;
  readonly tokens: number;
  readonly actions?: readonly ReportedAction[] | undefined;
}

/** The report of `toolfold inspect`, as `--json` prints it. */
export interface Report {
  readonly source: string;
  readonly kind: OpenTarget['kind'];
  readonly server: OpenTarget['server'];
  readonly found?: string | undefined;
  readonly form?: string | undefined;
  /** The profile for which the tools are lowered. Missing if the server lists them itself. */
  readonly profile?: string | undefined;
  readonly clients?: readonly ClientReport[] | undefined;
  readonly tokens: { readonly total: number; readonly method: string };
  readonly tools: readonly ReportedTool[];
  readonly toolsets: readonly ListedToolset[];
  readonly prompts: readonly {
    readonly name: string;
    readonly description: string | undefined;
    readonly arguments: readonly string[];
  }[];
  readonly resources: readonly {
    readonly uri: string;
    readonly name: string;
    readonly description: string | undefined;
  }[];
  readonly forms: readonly FormCost[];
  readonly warnings: readonly Warning[];
}

export async function createReport(source: string, opened: OpenTarget): Promise<Report> {
  const { kind, server, found, form, profile, tools, toolsets } = opened;
  const [{ prompts, resources, templates }, forms] = await Promise.all([opened.listOthers(), opened.costs()]);
  const counter = createTokenCounter();
  const reported = await runInSlices(eachInSteps(tools, (tool) => reportTool(tool, counter)));
  return {
    source,
    kind,
    server,
    found,
    form,
    profile,
    tokens: {
      total: reported.reduce((sum, { tokens }) => sum + tokens, 0),
      method: `counted with ${TOKENIZER}: ${countedFields}`,
    },
    tools: reported,
    toolsets,
    prompts: prompts.map(({ name, description, arguments: args }) => ({
      name,
      description,
      arguments: (Array.isArray(args) ? args : []).map(
        (each) => `${each.name}${each.required === true ? '' : '?'}`,
      ),
    })),
    resources: [
      ...resources.map(({ uri, name, description }) => ({ uri, name, description })),
      ...templates.map(({ uriTemplate: uri, name, description }) => ({ uri, name, description })),
    ],
    forms,
    warnings: findWarnings(tools, profile),
  };
}

function reportTool(listed: ListedTool, counter: TokenCounter): ReportedTool {
  const { tool, id, version, hints, scopes, discriminator, actions } = listed;
  return {
    name: tool.name,
    id,
    version,
    title: tool.title,
    description: tool.description,
    annotations: hints,
    scopes,
    tokens: countTool(tool, counter),
    discriminator,
    actions:
      discriminator === undefined
        ? undefined
        : actions.map(({ address, group, description, hints: own, scopes: needed }) => ({
            address,
            group,
            description,
            annotations: own,
            scopes: needed,
          })),
  };
}

/** One tool or action, as `--tool` shows it. */
export interface Detail {
  readonly address: string;
  readonly version?: string | undefined;
  readonly tool: Omit<McpTool, 'inputSchema' | 'outputSchema'>;
  readonly annotations?: ListedHints | undefined;
  readonly scopes: readonly string[];
  readonly tokens: number;
  readonly actions?: readonly string[] | undefined;
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
    version,
    tool: action ? { ...rest, description: action.description ?? '' } : rest,
    annotations: action ? action.hints : hints,
    scopes: action?.scopes ?? scopes,
    tokens: countTool(tool, createTokenCounter()),
    actions: actions.length > 0 && !action ? actions.map(({ address }) => address) : undefined,
    inputSchema: action?.inputSchema ?? inputSchema,
    outputSchema,
  };
}

export interface Warning {
  readonly address: string;
  readonly message: string;
}

/** VS Code accepts at most this many tools. */
const MAX_TOOLS = 128;
/** Some model APIs reject these keywords at the root of an input schema. */
const rejected = ['oneOf', 'anyOf', 'allOf'];

function findWarnings(tools: readonly ListedTool[], profile: string | undefined): Warning[] {
  const warnings = tools.flatMap((listed) => {
    const { tool, hints, actions } = listed;
    const found: string[] = [];
    // With a profile, its client decides which names are valid.
    if (profile === undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
      found.push('some clients reject this name: they allow at most 64 letters, digits, _ and -');
    const root = rejected.filter((keyword) => tool.inputSchema[keyword] !== undefined);
    if (root.length > 0) found.push(`some models reject ${root.join(', ')} at the root of an input schema`);
    if (isEmpty(tool.description)) found.push('the description is missing');
    if (actions.length === 0 && isUnmarked(hints)) found.push(UNMARKED);
    return [
      ...found.map((message) => ({ address: tool.name, message })),
      ...actions.flatMap(({ address, description, hints: own }) => [
        // A running server sends only the keys of its actions.
        ...(own && isEmpty(description) ? [{ address, message: 'the description is missing' }] : []),
        ...(own && isUnmarked(own) ? [{ address, message: UNMARKED }] : []),
      ]),
    ];
  });
  if (tools.length <= MAX_TOOLS) return warnings;
  return [
    {
      address: '',
      message: `${tools.length} tools are listed, but some clients accept at most ${MAX_TOOLS}`,
    },
    ...warnings,
  ];
}

const UNMARKED = 'neither readOnly nor destructive is set, so clients assume that it is destructive';

function isUnmarked({ readOnly, destructive }: ListedHints): boolean {
  return readOnly === undefined && destructive === undefined;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
