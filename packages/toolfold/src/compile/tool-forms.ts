import { ErrDuplicateName } from '@toolfold/schema/errors';
import { Tool, assertToolName } from '../model/tool.js';
import { deepFreeze, isJsonObject, undeclaredFields } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { AliasedMap, FrozenMap } from './compiled-tool.js';
import { hintedMeta, joinHints } from './client-hints.js';
import type { UndeclaredFields } from '@toolfold/schema/internal';
import { generateFlatSchema } from './input-schema/flat-schema.js';
import type {
  CompiledAction,
  CompiledForm,
  CompiledTool,
  Forward,
  ParamHeader,
  ToolSpec,
} from './compiled-tool.js';
import type { InternalAction } from '../define/read-definition.js';
import { fitDescription } from '@toolfold/profiles/internal';
import { toWireName, wireNameOf } from '../protocol/wire-name.js';
import { getOrMake } from '../values/get-or-make.js';

/** Entries of an owner that no longer exist are removed when it has more than this many. */
const MAX_UNSWEPT = 64;

/** Holds values weakly, so a value lives only while other code uses it. */
export class WeakCache<V extends object> {
  readonly #byOwner = new WeakMap<object, { refs: Map<string, WeakRef<V>>; sweepAt: number }>();

  getOrMake(owner: object, key: string, make: () => V): V {
    const held = getOrMake(this.#byOwner, owner, () => ({ refs: new Map(), sweepAt: MAX_UNSWEPT }));
    const known = held.refs.get(key)?.deref();
    if (known) return known;
    const made = make();
    held.refs.set(key, new WeakRef(made));
    if (held.refs.size >= held.sweepAt) {
      for (const [each, ref] of held.refs) if (!ref.deref()) held.refs.delete(each);
      held.sweepAt = 2 * Math.max(held.refs.size, MAX_UNSWEPT / 2);
    }
    return made;
  }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The tools of a spec in a form, with all actions or those with the given keys. Deeply frozen. */
export function compileTools(
  spec: ToolSpec,
  compiled: ReadonlyMap<string, CompiledAction>,
  { form, split }: CompiledForm = {},
  keys: readonly string[] = [...compiled.keys()],
): CompiledTool[] {
  const wanted = new Set(keys);
  const actions = spec.actions.filter(({ key }) => wanted.has(key));
  if (actions.length === 0) return [];
  if (spec.discriminator === undefined || form === 'flat') {
    const tools = actions.map(({ key }) => flatToolOf(compiled.get(key) as CompiledAction));
    if (tools.length > 1) assertDistinct(tools);
    return tools;
  }
  return groupsOf(spec, actions, split).map(([part, chosen]) =>
    groupedTools.getOrMake(compiled, `${part.name} ${maskOf(spec, chosen)}`, () =>
      compileGrouped(part, compiled, chosen),
    ),
  );
}

/** All views share the flat tool of an action. */
const flatTools = new WeakMap<CompiledAction, CompiledTool>();
/** Grouped tools by their subset of actions. There may be as many subsets as selections, so only those in use are kept. */
const groupedTools = new WeakCache<CompiledTool>();

export function flatToolOf(compiled: CompiledAction): CompiledTool {
  return getOrMake(flatTools, compiled, () => compileFlat(compiled));
}

/** Writes the chosen actions as a bit string, such as `101`. */
function maskOf({ actions }: ToolSpec, chosen: readonly InternalAction[]): string {
  const members = new Set(chosen);
  return actions.map((action) => (members.has(action) ? '1' : '0')).join('');
}

export function flatNameOf({ spec, action }: CompiledAction): string {
  return wireNameOf({ namespace: spec.namespace, name: flatToolName(spec, action) });
}

/** The name of an action in the flat form, without its namespace. */
export function flatToolName(
  { name, discriminator }: Pick<ToolSpec, 'name' | 'discriminator'>,
  { key }: Pick<InternalAction, 'key'>,
): string {
  return discriminator === undefined ? name : toWireName(name, ...key.split('.'));
}

/** The wire name of the part that contains an action when tools are split by risk. */
export function partNameOf(spec: ToolSpec, action: InternalAction): string {
  return wireNameOf({ namespace: spec.namespace, name: partToolName(spec, action) });
}

export function partToolName(
  { name }: Pick<ToolSpec, 'name'>,
  { readOnly }: Pick<InternalAction, 'readOnly'>,
): string {
  return toWireName(name, readOnly === true ? 'read' : 'write');
}

export function formerNamesOf(tool: CompiledTool, spec: ToolSpec): string[] {
  const { aliases = [], namespace, discriminator, name } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  const [[key = '', compiled] = []] = tool.actions;
  if (!compiled) return [];
  if (tool.discriminator !== undefined) {
    // Aliases of a tool that is split by risk get the same ending as its name.
    const ending = tool.wireName.slice(toWire(name).length);
    return aliases.map((alias) => toWire(`${alias}${ending}`));
  }
  if (discriminator === undefined) return aliases.map(toWire);
  const keys = [compiled.action.key, ...(compiled.action.aliases ?? [])];
  const names = [name, ...aliases].flatMap((own) => keys.map((each) => toWireName(own, ...each.split('.'))));
  return key === '' ? names.slice(1).map(toWire) : [];
}

/** The former addresses of an action, without the former names of its tool, which belong to all its actions. */
export function formerAddressesIn({ key, formerAddresses, spec }: CompiledAction): readonly string[] {
  return key === undefined ? formerAddresses : formerAddresses.slice(spec.aliases?.length ?? 0);
}

function groupsOf(
  spec: ToolSpec,
  actions: InternalAction[],
  split: 'risk' | undefined,
): [ToolSpec, InternalAction[]][] {
  if (split !== 'risk') return [[spec, actions]];
  // The author's annotations of the whole tool need not hold for a part.
  const { readOnlyHint: _, destructiveHint: __, ...annotations } = spec.annotations ?? {};
  return [
    actions.filter(({ readOnly }) => readOnly === true),
    actions.filter(({ readOnly }) => readOnly !== true),
  ].flatMap((members): [ToolSpec, InternalAction[]][] => {
    const [first] = members;
    return first ? [[{ ...spec, name: partToolName(spec, first), annotations }, members]] : [];
  });
}

function compileGrouped(
  spec: ToolSpec,
  compiled: ReadonlyMap<string, CompiledAction>,
  actions: readonly InternalAction[],
): CompiledTool {
  const { name, strategies, discriminator = 'action', common, onConflict } = spec;
  const advertised = actions.map(asAdvertised);
  const hasGroup = actions.some(({ groupName }) => groupName !== undefined);
  const described = {
    description: strategies.description({
      name,
      description: spec.description,
      actions: advertised,
      hasGroup,
    }),
    inputSchema: strategies.inputSchema({
      name,
      discriminator,
      hasGroup,
      actions: advertised,
      common,
      onConflict,
      rejectsUnknown: actions.every((action) => undeclaredIn(spec, action) === 'rejected'),
    }),
  };
  const tool = new Tool({
    ...identityOf(spec),
    name,
    ...fitDescription(described, spec.maxDescriptionLength),
    annotations: strategies.annotations(actions, spec.annotations),
    meta: hintedMeta(spec.meta, joinHints(actions)),
  });
  return freezeTool(
    tool,
    discriminator,
    actions.map(({ key }) => [key, compiled.get(key)]),
  );
}

function compileFlat(compiled: CompiledAction): CompiledTool {
  const { action, spec } = compiled;
  // Clients cannot list some schemas that only the author's validator can read.
  const isListable = spec.discriminator === undefined && !spec.common && !compiled.schema.isCustom;
  return isListable && !action.advertised
    ? new SingleTool(compiled)
    : freezeTool(buildFlat(compiled), undefined, [['', compiled]]);
}

/** The tool of a single action. It is built when a client lists it, because most clients of a large server list few tools. */
class SingleTool implements CompiledTool {
  readonly wireName: string;
  readonly isListable = true;
  readonly forward = undefined;
  readonly discriminator = undefined;
  readonly actions: CompiledTool['actions'];
  readonly paramHeaders: readonly ParamHeader[];
  readonly #compiled: CompiledAction;
  #tool: Tool | undefined;

  constructor(compiled: CompiledAction) {
    assertToolName(compiled.spec.name);
    this.wireName = wireNameOf(compiled.spec);
    this.actions = new FrozenMap([['', compiled]]);
    this.paramHeaders = findParamHeaders(compiled.action.input.jsonSchema);
    this.#compiled = compiled;
    Object.freeze(this);
  }

  get tool(): Tool {
    return (this.#tool ??= deepFreeze(buildFlat(this.#compiled)));
  }
}

/** Tools that list `metadata.inputJsonSchema` itself. The profile `standard` does not change their schemas. */
export const writtenByHand = new WeakSet<Tool>();

function buildFlat(compiled: CompiledAction): Tool {
  const { action, spec } = compiled;
  const isWhole = spec.discriminator === undefined;
  const tool = new Tool({
    ...identityOf(spec),
    name: flatToolName(spec, action),
    title: action.title ?? (isWhole ? spec.title : undefined),
    description:
      action.description ?? (isWhole ? undefined : [spec.description, action.key].filter(Boolean).join(': ')),
    inputSchema: isWhole
      ? wholeSchemaOf(spec, action)
      : generateFlatSchema(asAdvertised(action).input, {
          common: spec.common,
          undeclared: undeclaredIn(spec, action),
        }),
    meta: hintedMeta((spec.meta ?? action.meta) && { ...spec.meta, ...action.meta }, action.clientHints),
    outputSchema: action.output?.jsonSchema,
    annotations: spec.strategies.annotations([action], isWhole ? spec.annotations : undefined),
    tags: [...new Set([...spec.tags, ...action.tags])],
  });
  if (isWhole && action.advertised) writtenByHand.add(tool);
  return tool;
}

/** The schema of a tool that consists of one action: the advertised one, or the converted one with its dialect. */
function wholeSchemaOf(spec: ToolSpec, action: InternalAction): JsonSchemaObject {
  const { advertised, input } = action;
  if (advertised) return advertised.jsonSchema;
  const { $schema } = input.jsonSchema;
  const schema = generateFlatSchema(input, { undeclared: undeclaredIn(spec, action) });
  return spec.listsDialect === true && $schema === DIALECT ? { $schema, ...schema } : schema;
}

/** How calls of an action treat undeclared fields. Converts the schema of a plain action. */
function undeclaredIn({ common, unknownFields }: ToolSpec, { input }: InternalAction): UndeclaredFields {
  return undeclaredFields(input, common, unknownFields);
}

function asAdvertised(action: InternalAction): InternalAction {
  if (!action.advertised) return action;
  const { vendor, stripsUndeclared, validate } = action.input;
  return { ...action, input: { vendor, stripsUndeclared, validate, ...action.advertised } };
}

function identityOf({ title, icons, meta, tags, namespace, version }: ToolSpec) {
  return { title, tags, namespace, version, icons: icons && [...icons], meta: meta && { ...meta } };
}

function freezeTool(
  tool: Tool,
  discriminator: string | undefined,
  actions: readonly (readonly [string, CompiledAction | undefined])[],
  forward?: Forward,
): CompiledTool {
  tool.validate();
  return Object.freeze({
    wireName: wireNameOf(tool),
    isListable: false,
    tool: deepFreeze(tool),
    forward,
    discriminator,
    actions: withFormerKeys(actions as readonly (readonly [string, CompiledAction])[], discriminator),
    paramHeaders: findParamHeaders(tool.inputSchema),
  });
}

export function withFormerKeys(
  actions: readonly (readonly [string, CompiledAction])[],
  discriminator: string | undefined,
): CompiledTool['actions'] {
  if (discriminator === undefined) return new FrozenMap(actions);
  const former = actions.flatMap(([, compiled]) =>
    (compiled.action.aliases ?? []).map((key): [string, CompiledAction] => [key, compiled]),
  );
  return former.length > 0 ? new AliasedMap(actions, new Map(former)) : new FrozenMap(actions);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** Finds the arguments that a schema declares with `x-mcp-header`. Only properties can be declared, not items or alternatives. */
export function findParamHeaders(schema: unknown): readonly ParamHeader[] {
  const found: ParamHeader[] = [];
  findBelow(schema, [], found);
  return found.length === 0 ? none : found;
}

const none: readonly never[] = Object.freeze([]);

function findBelow(schema: unknown, path: string[], found: ParamHeader[]): void {
  if (!isJsonObject(schema)) return;
  const { type, properties, 'x-mcp-header': name } = schema;
  if (path.length > 0 && typeof name === 'string' && HEADER_NAME.test(name) && headerTypes.has(type)) {
    const isNumber = type === 'integer' || type === 'number';
    found.push({ path: [...path], header: `Mcp-Param-${name}`, isNumber });
  }
  if (!isJsonObject(properties)) return;
  for (const key of Object.keys(properties)) {
    path.push(key);
    findBelow(properties[key], path, found);
    path.pop();
  }
}

function assertDistinct(tools: readonly CompiledTool[]): void {
  const seen = new Set<string>();
  for (const { tool, wireName } of tools) {
    if (seen.has(wireName)) {
      throw new ErrDuplicateName(`Two actions would both be called "${tool.name}" as flat tools.`, {
        hint: 'Rename one of the actions.',
        details: { name: tool.name, kind: 'tool' },
      });
    }
    seen.add(wireName);
  }
}

/** Compiles a tool without actions, such as `call_read_tool`. `forward` finds the action that a call runs. */
export function compileForwarding(tool: Tool, forward: Forward): CompiledTool {
  return freezeTool(tool, undefined, [], forward);
}
