import { AliasedMap, FrozenMap } from '../compile/compiled-tool.js';
import { suggestName } from '@toolfold/schema/internal';
import type { CompiledSpec, CompiledTool } from '../compile/compiled-tool.js';
import { compileTools, formerNamesOf } from '../compile/tool-forms.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '@toolfold/schema/errors';
import type { ContextRequest } from '../callers/session-context.js';
import type { RequestOptions } from '../engine/request.js';
import type { ProtocolVersion } from '../protocol/mcp-types.js';
import type { McpTool, ProfileName } from '@toolfold/profiles';
import type { Group } from '../model/group.js';
import { profileOf } from './policy.js';
import type { Narrowing, ViewPolicy } from './policy.js';
import { ToolLists } from './lists.js';
import { lowerTools } from './lower-view.js';
import { addressesOf, createCeiling, createPredicate, createSelection } from './view-selection.js';
import type { Allows } from './view-selection.js';
import { buildTree } from './view-tree.js';
import type { ViewGroup, ViewHost } from './view-tree.js';
import { getOrMake } from '../values/get-or-make.js';

/** An immutable set of tools: everything that one kind of caller can list and call. */
export interface View {
  /** The policy that the view was made from. */
  readonly policy: ViewPolicy;
  /** Whether tools are missing because they could not be loaded. */
  readonly isPartial?: boolean;
  /**
   * The view that a form shows through its own tools, and these tools.
   *
   * @internal
   */
  readonly shown?: ShownView | undefined;
  /**
   * The view before its tools were lowered for the profile: with the names and schemas of their authors.
   *
   * @internal
   */
  readonly authored?: View | undefined;
  /** The tools by wire name, in order of registration. Listing and calling both read this map. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** The tools as a tree of the model, with the prompts and resources. The tree is built on first access. */
  readonly root: Group;
  /** The toolsets of the tree, and which tools are in each. */
  readonly groups: readonly ViewGroup[];
  /** The tools in their MCP form, for one protocol version. */
  readonly listTools: (protocolVersion?: ProtocolVersion) => readonly McpTool[];
  /**
   * Builds the tools of `listTools` in steps. Listing thousands of tools for the first time takes a second.
   *
   * @internal
   */
  readonly prepareList?: (protocolVersion?: ProtocolVersion) => Generator<McpTool, void>;
  /** The tools as JSON text: one array for each page. Without `pageSize`, there is one page. */
  readonly listPages: (options?: {
    readonly protocolVersion?: ProtocolVersion;
    readonly pageSize?: number;
  }) => readonly string[];
}

/** A view whose tools are found and called through the tools of a form. */
export interface ShownView {
  readonly form: string;
  readonly view: View;
  /** The tools as the form created them. */
  readonly tools: object;
}

/** Finds the view of each request. */
export interface ViewSource {
  /** Returns a promise if the view is not compiled yet, or depends on toolsets. Throws or rejects if the selection is invalid. */
  viewFor(request: RequestOptions): View | Promise<View>;
  /** Adds the caller that the server's options resolve, and the selection in the headers and path of an HTTP request. */
  complete(request: RequestOptions, http?: ContextRequest): RequestOptions;
  /** @internal Called when a server starts that uses the views. */
  start?(): void;
  /** @internal Rejects if the options of the views are invalid, which may show only when their forms are loaded. */
  ready?(): Promise<void>;
}

/** Finds the toolsets of a tool. Each toolset is a group of the tree. */
export type ToolsetsOf = (spec: CompiledSpec) => readonly { readonly key: string; readonly title?: string }[];

export interface CompileOptions {
  readonly toolsetsOf?: ToolsetsOf | undefined;
  /** Tools that the view holds regardless of its policy. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** The upper limit of the caller. It may name tools that are not registered. */
  readonly ceiling?: Narrowing | undefined;
  /** The scopes of the caller. Actions that need others are hidden. Default: scopes hide nothing. */
  readonly granted?: readonly string[] | undefined;
  /** The selection of the request. Hidden tools are unknown to it, like tools that were never registered. */
  readonly narrowing?: Narrowing | undefined;
  /** Lets `narrowing` name tools that are not in the view. */
  readonly toleratesUnknown?: boolean | undefined;
}

/** Compiles a view of those tools that the policy, the ceiling and the narrowing all allow. */
export function compileView(
  host: ViewHost,
  specs: readonly CompiledSpec[],
  policy: ViewPolicy,
  options: CompileOptions = {},
): View {
  const {
    toolsetsOf,
    always = [],
    ceiling = {},
    granted,
    narrowing = {},
    toleratesUnknown = false,
  } = options;
  assertAddresses(specs, [...(policy.actions ?? []), ...(policy.exclude ?? [])]);
  const [isOffered, isGranted] = [createPredicate(policy), createCeiling(ceiling, policy)];
  const isVisible: Allows = (compiled) =>
    isOffered(compiled) &&
    isGranted(compiled) &&
    (!granted || compiled.action.scopes.every((scope) => granted.includes(scope)));
  const isSelected = createSelection(specs, isVisible, narrowing, { form: policy, toleratesUnknown });
  const groups = new Map<string, { key: string; title?: string | undefined; tools: string[] }>();
  const tools = new Map<string, CompiledTool>();
  const former = new Map<string, CompiledTool>();
  for (const [at, compiledSpec] of [...always, ...specs].entries()) {
    const { spec, actions } = compiledSpec;
    const keys: string[] = [];
    for (const [key, compiled] of actions)
      if (at < always.length || (isVisible(compiled) && isSelected(compiled))) keys.push(key);
    if (keys.length === 0) continue;
    const toolsets = toolsetsOf?.(compiledSpec) ?? [];
    for (const compiled of compileTools(spec, actions, policy, keys)) {
      const { wireName: toolName } = compiled;
      if (tools.has(toolName)) throw duplicateInForm(toolName);
      tools.set(toolName, compiled);
      for (const name of formerNamesOf(compiled, spec)) former.set(name, compiled);
      for (const { key, title } of toolsets) {
        getOrMake(groups, key, () => ({ key, title, tools: [] })).tools.push(toolName);
      }
    }
  }
  return createView({
    host,
    policy,
    tools: former.size > 0 ? new AliasedMap(tools, former) : tools,
    groups: [...groups.values()],
    profile: profileOf(policy),
  });
}

export function duplicateInForm(name: string): ErrDuplicateName {
  return new ErrDuplicateName(`Two tools would both be called "${name}" in this form.`, {
    hint: 'Rename a tool or an action, choose another form, or give the tools of another server a prefix.',
    details: { name, kind: 'tool' },
  });
}

interface ViewParts {
  readonly host: ViewHost;
  readonly policy: ViewPolicy;
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly groups?: readonly ViewGroup[];
  readonly shown?: ShownView | undefined;
  readonly onListed?: (() => void) | undefined;
  /** The profile for which the tools are lowered. Without it, they are listed as their authors wrote them. */
  readonly profile?: ProfileName | undefined;
}

export function createView({ tools, profile, ...parts }: ViewParts): View {
  const frozen = tools instanceof FrozenMap ? tools : new FrozenMap(tools);
  if (profile === undefined) return createListed(parts, frozen);
  const lowered = lowerTools(frozen, profile);
  const groups = renameIn(parts.groups ?? [], lowered.authoredNames);
  let authored: View | undefined;
  return createListed(
    { ...parts, groups, profile },
    lowered.tools,
    () => (authored ??= createView({ ...parts, tools: frozen })),
  );
}

/** The groups with the names under which their tools are listed. */
function renameIn(
  groups: readonly ViewGroup[],
  authoredNames: ReadonlyMap<string, string>,
): readonly ViewGroup[] {
  if (authoredNames.size === 0) return groups;
  const listed = new Map([...authoredNames].map(([name, authored]) => [authored, name]));
  return groups.map((group) => ({ ...group, tools: group.tools.map((name) => listed.get(name) ?? name) }));
}

function createListed(
  { host, policy, groups = [], shown, onListed, profile }: Omit<ViewParts, 'tools'>,
  tools: View['tools'],
  authored?: () => View,
): View {
  let root: Group | undefined;
  const lists = new ToolLists(tools, { identity: host.listIdentity === true, profile });
  return Object.freeze({
    policy,
    tools,
    get root() {
      return (root ??= buildTree(host, tools, groups));
    },
    groups: Object.freeze(groups),
    ...(shown ? { shown } : {}),
    get authored() {
      return authored?.();
    },
    listTools: (protocolVersion = '2026-07-28') => {
      onListed?.();
      return lists.tools(protocolVersion);
    },
    prepareList: (protocolVersion = '2026-07-28') => lists.prepare(protocolVersion),
    listPages: ({ protocolVersion = '2026-07-28', pageSize = Number.POSITIVE_INFINITY } = {}) =>
      lists.pages(protocolVersion, pageSize),
  } satisfies View);
}

/** A copy of a view from which tools are missing. Copies its getters, so that its tree is not built. */
export function markPartial(view: View): View {
  const isPartial = { value: true, enumerable: true };
  return Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(view), isPartial }),
  ) as View;
}

/** Rejects a policy with an unknown address, because an empty view would hide the operator's mistake. */
function assertAddresses(specs: readonly CompiledSpec[], addresses: readonly string[]): void {
  if (addresses.length === 0) return;
  const known = new Set(
    specs.flatMap(({ actions }) => [...actions.values()].flatMap((compiled) => addressesOf(compiled))),
  );
  const unknown = addresses.find((address) => !known.has(address));
  if (unknown === undefined) return;
  throw new ErrInvalidPolicy(`The view names "${unknown}", which is not registered.`, {
    ...suggestName(unknown, known),
    details: { address: unknown },
  });
}
