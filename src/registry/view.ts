import { deepFreeze } from '../compile/deep-freeze.js';
import type { InternalAction } from '../compile/internal-action.js';
import { FrozenMap } from '../compile/frozen-map.js';
import { compileTools } from '../compile/tool-definition-compiler.js';
import type {
  CompiledForm,
  CompiledSpec,
  CompiledTool,
  ToolSpec,
} from '../compile/tool-definition-compiler.js';
import { ErrDuplicateName, ErrInvalidPolicy, ErrInvalidSelection } from '../errors.js';
import { McpToolConverter } from '../model/converters/mcp-tool.js';
import type { McpTool, ProtocolVersion } from '../model/converters/mcp-types.js';
import { Group } from '../model/group.js';
import { normalizeTags } from '../model/tags.js';
import { isJsonObject } from '../schema/json-schema.js';
import { nearestName } from '../compile/nearest-name.js';
import { toWireName } from '../compile/wire-name.js';

/** Which actions a view holds, and in which form. What is not said does not narrow. */
export interface ViewPolicy extends CompiledForm {
  /** Only actions that carry all of these tags, their own or their tool's. */
  readonly tags?: readonly string[];
  /** Only actions that carry one of these. */
  readonly anyTags?: readonly string[];
  /** No action that carries one of these. */
  readonly excludeTags?: readonly string[];
  /** Only these tools (`platform`) and actions (`platform/users.create`). */
  readonly actions?: readonly string[];
  /** None of these. */
  readonly exclude?: readonly string[];
  /** Only actions that are declared to change nothing. */
  readonly readOnly?: boolean;
}

/** An immutable answer to what a caller may list and call. */
export interface View {
  readonly policy: ViewPolicy;
  /** Whether something is missing that could not be loaded. */
  readonly isPartial?: boolean;
  /** The tools by wire name, in order of registration. Listing and calling both read this map. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** The same tools as a tree of the model. */
  readonly root: Group;
  readonly listTools: (protocolVersion?: ProtocolVersion) => readonly McpTool[];
  /** The list as the JSON text of its `tools` arrays, a page each, made once. Without a size it is one page. */
  readonly listPages: (options?: {
    readonly protocolVersion?: ProtocolVersion;
    readonly pageSize?: number;
  }) => readonly string[];
}

/** The same policy in one form, however it is written, so that it is compiled once. */
export function normalizePolicy(policy: ViewPolicy): ViewPolicy {
  assertPolicy(policy);
  const entries = Object.entries(policy)
    .filter(
      ([key, value]) => value !== undefined && value !== false && !(key === 'form' && value === 'grouped'),
    )
    .map(([key, value]): [string, unknown] => {
      if (!Array.isArray(value)) return [key, value];
      const names = /tags$/i.test(key) ? normalizeTags(value as string[]) : (value as string[]);
      return [key, [...new Set(names)].toSorted()];
    });
  return Object.fromEntries(entries) as ViewPolicy;
}

/** The toolsets that tools belong to, each a group of the tree. */
export type ToolsetsOf = (spec: CompiledSpec) => readonly { readonly key: string; readonly title?: string }[];

/** What a request selects of a view. */
export type Narrowing = Pick<ViewPolicy, 'actions' | 'exclude' | 'readOnly'>;

export interface CompileOptions {
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
  name: string,
  specs: readonly CompiledSpec[],
  policy: ViewPolicy,
  { toolsetsOf, always = [], ceiling = {}, narrowing = {}, toleratesUnknown }: CompileOptions = {},
): View {
  assertAddresses(specs, [...(policy.actions ?? []), ...(policy.exclude ?? [])]);
  const [isOffered, isGranted] = [createPredicate(policy), createPredicate(ceiling, namesOf)];
  const isVisible: Allows = (action, spec) => isOffered(action, spec) && isGranted(action, spec);
  if (toleratesUnknown !== true) assertSelectable(specs, isVisible, narrowing);
  const isSelected = createPredicate(narrowing, namesOf);
  const isThere: Allows = (action, spec) => isVisible(action, spec) && isSelected(action, spec);
  const root = new Group({ name });
  const groups = new Map<string, Group>();
  const groupFor = ({ key, title }: { readonly key: string; readonly title?: string }): Group => {
    let group = groups.get(key);
    if (!group) groups.set(key, (group = new Group({ name: key, title })));
    if (!root.has(group)) root.add(group);
    return group;
  };
  const tools = new Map<string, CompiledTool>();
  for (const compiledSpec of [...always, ...specs]) {
    const { spec, actions } = compiledSpec;
    const keys = always.includes(compiledSpec)
      ? [...actions.keys()]
      : spec.actions.filter((action) => isThere(action, spec)).map(({ key }) => key);
    for (const compiled of compileTools(spec, actions, policy, keys)) {
      if (tools.has(compiled.tool.name)) {
        throw new ErrDuplicateName(`Two tools would both be called "${compiled.tool.name}" in this form.`, {
          hint: 'Rename a tool or an action, choose another form, or give the tools of another server a prefix.',
          details: { name: compiled.tool.name, kind: 'tool' },
        });
      }
      tools.set(compiled.tool.name, compiled);
      const toolsets = toolsetsOf?.(compiledSpec) ?? [];
      for (const group of toolsets.length > 0 ? toolsets.map(groupFor) : [root]) group.add(compiled.tool);
    }
  }
  for (const group of groups.values()) Object.freeze(group);
  return createView({ policy, tools, root });
}

/** A view of tools that are compiled already; nothing changes it any more. */
export function createView({ policy, tools, root }: Pick<View, 'policy' | 'tools' | 'root'>): View {
  Object.freeze(root);
  const ordered = [...tools.values()].map(({ tool }) => tool);
  const lists = new Map<ProtocolVersion, readonly McpTool[]>();
  const pages = new Map<string, readonly string[]>();
  const listTools = (version: ProtocolVersion = '2026-07-28'): readonly McpTool[] =>
    remember(lists, version, () =>
      deepFreeze(new McpToolConverter({ protocolVersion: version }).convertFromTools(ordered)),
    );
  return Object.freeze({
    policy,
    tools: new FrozenMap(tools),
    root,
    listTools,
    listPages: ({ protocolVersion = '2026-07-28', pageSize = Number.POSITIVE_INFINITY } = {}) =>
      remember(pages, `${protocolVersion} ${pageSize}`, () =>
        Object.freeze(paginate(listTools(protocolVersion), pageSize)),
      ),
  } satisfies View);
}

/** At least one page, be it empty. */
function paginate(list: readonly McpTool[], pageSize: number): string[] {
  if (!(pageSize >= 1)) throw new ErrInvalidPolicy(`A page holds at least one tool, not ${pageSize}.`);
  const size = Math.max(1, Math.min(Math.floor(pageSize), list.length));
  const count = Math.max(1, Math.ceil(list.length / size));
  return Array.from({ length: count }, (_, page) =>
    JSON.stringify(list.slice(page * size, (page + 1) * size)),
  );
}

const MAX_REMEMBERED = 16;

function remember<K, V>(made: Map<K, V>, key: K, make: () => V): V {
  let value = made.get(key);
  if (value === undefined) {
    // Sizes of pages come from callers.
    if (made.size >= MAX_REMEMBERED) made.clear();
    made.set(key, (value = make()));
  }
  return value;
}

type Allows = (action: InternalAction, spec: ToolSpec) => boolean;

/** A policy names tools and addresses. */
function addressesOf({ key }: InternalAction, { name, discriminator }: ToolSpec): readonly string[] {
  return discriminator === undefined ? [name] : [name, `${name}/${key}`];
}

/** A request may also name actions as they are listed where they are tools of their own. */
function namesOf(action: InternalAction, spec: ToolSpec): readonly string[] {
  const addresses = addressesOf(action, spec);
  return spec.discriminator === undefined
    ? addresses
    : [...addresses, toWireName(spec.name, ...action.key.split('.'))];
}

function createPredicate(policy: ViewPolicy, toNames = addressesOf): Allows {
  const [all, any, none] = [policy.tags, policy.anyTags, policy.excludeTags].map(
    (tags) => tags && normalizeTags(tags),
  );
  const [only, never] = [policy.actions, policy.exclude].map((addresses) => addresses && new Set(addresses));
  return (action, spec) => {
    const tags = new Set(all || any || none ? normalizeTags([...spec.tags, ...action.tags]) : []);
    const names = only || never ? toNames(action, spec) : [];
    return (
      (!all || all.every((tag) => tags.has(tag))) &&
      (!any || any.some((tag) => tags.has(tag))) &&
      (!none || !none.some((tag) => tags.has(tag))) &&
      (!only || names.some((name) => only.has(name))) &&
      (!never || !names.some((name) => never.has(name))) &&
      (policy.readOnly !== true || action.readOnly === true)
    );
  };
}

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** What each key of a policy must be. A policy may come from a file: a slip in it must not open the view. */
const policyForms: Readonly<
  Record<keyof ViewPolicy, readonly [check: (value: unknown) => boolean, expected: string]>
> = {
  tags: [isNames, 'a list of tags'],
  anyTags: [isNames, 'a list of tags'],
  excludeTags: [isNames, 'a list of tags'],
  actions: [isNames, 'a list of addresses'],
  exclude: [isNames, 'a list of addresses'],
  readOnly: [(value) => typeof value === 'boolean', 'true or false'],
  form: [(value) => value === 'grouped' || value === 'flat', '"grouped" or "flat"'],
  split: [(value) => value === 'risk', '"risk"'],
};

function assertPolicy(policy: ViewPolicy): void {
  if (!isJsonObject(policy)) throw new ErrInvalidPolicy('A view policy is an object.');
  for (const [key, value] of Object.entries(policy)) {
    const form = Object.hasOwn(policyForms, key) ? policyForms[key as keyof ViewPolicy] : undefined;
    if (!form) {
      const nearest = nearestName(key, Object.keys(policyForms));
      throw new ErrInvalidPolicy(
        `A view policy has no "${key}".`,
        nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
      );
    }
    const [check, expected] = form;
    if (value !== undefined && !check(value))
      throw new ErrInvalidPolicy(`"${key}" of a view policy must be ${expected}.`);
  }
}

/** What a request names must be there for it. */
function assertSelectable(
  specs: readonly CompiledSpec[],
  isVisible: Allows,
  { actions = [], exclude = [] }: Narrowing,
): void {
  if (actions.length + exclude.length === 0) return;
  const known = new Set(
    specs.flatMap(({ spec }) =>
      spec.actions.filter((action) => isVisible(action, spec)).flatMap((action) => namesOf(action, spec)),
    ),
  );
  const unknown = [...actions, ...exclude].find((name) => !known.has(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new ErrInvalidSelection(
    `Unknown tool "${unknown.slice(0, 80)}" in the selection.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
    { hint: 'Name tools as they are listed, or by their addresses.' },
  );
}

/** An address that leads nowhere is a mistake of the operator, not an empty view. */
function assertAddresses(specs: readonly CompiledSpec[], addresses: readonly string[]): void {
  if (addresses.length === 0) return;
  const known = new Set(
    specs.flatMap(({ spec }) => spec.actions.flatMap((action) => addressesOf(action, spec))),
  );
  const unknown = addresses.find((address) => !known.has(address));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new ErrInvalidPolicy(`The view names "${unknown}", which is not registered.`, {
    ...(nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` }),
    details: { address: unknown },
  });
}
