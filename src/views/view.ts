import { FrozenMap } from '../values/freeze.js';
import { suggestName } from '../values/nearest-name.js';
import type { CompiledSpec, CompiledTool } from '../compile/compiled-tool.js';
import { compileTools } from '../compile/tool-forms.js';
import { wireNameOf } from '../protocol/wire-name.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '../errors.js';
import type { ContextRequest } from '../callers/session-context.js';
import type { RequestOptions } from '../engine/request.js';
import type { McpTool, ProtocolVersion } from '../protocol/mcp-types.js';
import type { Group } from '../model/group.js';
import type { Narrowing, ViewPolicy } from './policy.js';
import { KeptPages } from './kept-pages.js';
import { wireToolOf } from './tool-wire.js';
import type { WireTool } from './tool-wire.js';
import { addressesOf, createCeiling, createPredicate, createSelection } from './view-selection.js';
import type { Allows } from './view-selection.js';
import { buildTree } from './view-tree.js';
import type { ViewGroup, ViewHost } from './view-tree.js';

/** An immutable answer to what a caller may list and call. */
export interface View {
  /** What the view was made from. */
  readonly policy: ViewPolicy;
  /** Whether tools are missing because they could not be loaded. */
  readonly isPartial?: boolean;
  /**
   * The view whose tools the search tools of this view find.
   *
   * @internal
   */
  readonly searched?: View;
  /** The tools by wire name, in order of registration. Listing and calling both read this map. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** The same tools as a tree of the model, with the prompts and resources. It is built on first access. */
  readonly root: Group;
  /** The toolsets of the tree, and which tools are in each. */
  readonly groups: readonly ViewGroup[];
  /** The tools in their MCP form, for a revision of the protocol. */
  readonly listTools: (protocolVersion?: ProtocolVersion) => readonly McpTool[];
  /** The list as the JSON text of its `tools` arrays, a page each. Without a size it is one page. */
  readonly listPages: (options?: {
    readonly protocolVersion?: ProtocolVersion;
    readonly pageSize?: number;
  }) => readonly string[];
}

/** Decides what each request sees. */
export interface ViewSource {
  /** A promise only where something has to be loaded first. What a request cannot select throws or rejects. */
  viewFor(request: RequestOptions): View | Promise<View>;
  /** Adds what the server says about whoever is calling, and what the request says of itself in HTTP. */
  complete(request: RequestOptions, http?: ContextRequest): RequestOptions;
}

/** The toolsets that tools belong to, each a group of the tree. */
export type ToolsetsOf = (spec: CompiledSpec) => readonly { readonly key: string; readonly title?: string }[];

/** What a view is made from beside its policy. */
export interface CompileOptions {
  /** The toolsets that a tool is shown in. */
  readonly toolsetsOf?: ToolsetsOf | undefined;
  /** What is there whatever the policy says. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** What the caller sees at most. It may name what is not there. */
  readonly ceiling?: Narrowing | undefined;
  /** Narrows the view further. What is hidden is as unknown to it as what never was. */
  readonly narrowing?: Narrowing | undefined;
  /** Lets `narrowing` name what is not there. */
  readonly toleratesUnknown?: boolean | undefined;
}

/** Compiles a view over everything registered. */
export function compileView(
  host: ViewHost,
  specs: readonly CompiledSpec[],
  policy: ViewPolicy,
  { toolsetsOf, always = [], ceiling = {}, narrowing = {}, toleratesUnknown = false }: CompileOptions = {},
): View {
  assertAddresses(specs, [...(policy.actions ?? []), ...(policy.exclude ?? [])]);
  const [isOffered, isGranted] = [createPredicate(policy), createCeiling(ceiling, policy)];
  const isVisible: Allows = (compiled) => isOffered(compiled) && isGranted(compiled);
  const isSelected = createSelection(specs, isVisible, narrowing, { form: policy, toleratesUnknown });
  const groups = new Map<string, { key: string; title?: string | undefined; tools: string[] }>();
  const tools = new Map<string, CompiledTool>();
  for (const [at, compiledSpec] of [...always, ...specs].entries()) {
    const { spec, actions } = compiledSpec;
    const keys: string[] = [];
    for (const [key, compiled] of actions)
      if (at < always.length || (isVisible(compiled) && isSelected(compiled))) keys.push(key);
    if (keys.length === 0) continue;
    const toolsets = toolsetsOf?.(compiledSpec) ?? [];
    for (const compiled of compileTools(spec, actions, policy, keys)) {
      const toolName = wireNameOf(compiled.tool);
      if (tools.has(toolName)) {
        throw new ErrDuplicateName(`Two tools would both be called "${toolName}" in this form.`, {
          hint: 'Rename a tool or an action, choose another form, or give the tools of another server a prefix.',
          details: { name: toolName, kind: 'tool' },
        });
      }
      tools.set(toolName, compiled);
      for (const { key, title } of toolsets) {
        let group = groups.get(key);
        if (!group) groups.set(key, (group = { key, title, tools: [] }));
        group.tools.push(toolName);
      }
    }
  }
  return createView({ host, policy, tools, groups: [...groups.values()] });
}

interface ViewParts {
  readonly host: ViewHost;
  readonly policy: ViewPolicy;
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly groups?: readonly ViewGroup[];
  readonly searched?: View;
}

/** A view of tools that are compiled already; nothing changes it any more. */
export function createView({ host, policy, tools, groups = [], searched }: ViewParts): View {
  const frozen = new FrozenMap(tools);
  let root: Group | undefined;
  const identity = host.listIdentity === true;
  const lists = new Map<ProtocolVersion, readonly McpTool[]>();
  // A page is joined of what views share.
  const pages = new KeptPages();
  const wireTools = (protocolVersion: ProtocolVersion): WireTool[] =>
    Array.from(frozen.values(), ({ tool }) => wireToolOf(tool, { protocolVersion, identity }));
  const listPages: View['listPages'] = ({
    protocolVersion = '2026-07-28',
    pageSize = Number.POSITIVE_INFINITY,
  } = {}) =>
    pages.getOrMake(`${protocolVersion} ${pageSize}`, () =>
      Object.freeze(paginate(wireTools(protocolVersion), pageSize)),
    );
  return Object.freeze({
    policy,
    tools: frozen,
    get root() {
      return (root ??= buildTree(host, frozen, groups));
    },
    groups: Object.freeze(groups),
    ...(searched ? { searched } : {}),
    listTools: (version = '2026-07-28') => {
      let list = lists.get(version);
      if (!list) {
        list = Object.freeze(wireTools(version).map(({ tool }) => tool));
        lists.set(version, list);
        writers.set(list, () => listPages({ protocolVersion: version })[0] ?? '[]');
      }
      return list;
    },
    listPages,
  } satisfies View);
}

const writers = new WeakMap<object, () => string>();

/** The JSON of a whole list of a view, which is written already. Of anything else nobody knows. */
export function writtenList(list: unknown): string | undefined {
  return typeof list === 'object' && list !== null ? writers.get(list)?.() : undefined;
}

/** At least one page, be it empty. */
function paginate(list: readonly WireTool[], pageSize: number): string[] {
  if (!(pageSize >= 1)) throw new ErrInvalidPolicy(`A page holds at least one tool, not ${pageSize}.`);
  const size = Math.max(1, Math.min(Math.floor(pageSize), list.length));
  const count = Math.max(1, Math.ceil(list.length / size));
  return Array.from({ length: count }, (_, page) => {
    const texts = list.slice(page * size, (page + 1) * size).map(({ text }) => text);
    return `[${texts.join(',')}]`;
  });
}

/** An address that leads nowhere is a mistake of the operator, not an empty view. */
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
