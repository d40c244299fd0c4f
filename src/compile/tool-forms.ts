import { ErrDuplicateName } from '../errors.js';
import { Tool, assertToolName } from '../model/tool.js';
import { LazySchema } from '../schema/read/lazy-schema.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { AliasedMap, FrozenMap } from './compiled-tool.js';
import { hintedMeta, joinHints } from './client-hints.js';
import { deepFreeze, isJsonObject } from '../values/json-value.js';
import { undeclaredFields } from '../schema/validate/input-validator.js';
import type { UndeclaredFields } from '../schema/validate/input-validator.js';
import { generateFlatSchema } from './input-schema/flat-schema.js';
import { layouts } from './describe-tool.js';
import { fitDescription, MAX_DESCRIPTION } from './fit-description.js';
import type {
  CompiledAction,
  CompiledForm,
  CompiledTool,
  Forward,
  ParamHeader,
  ToolSpec,
} from './compiled-tool.js';
import type { InternalAction } from '../define/read-definition.js';
import { toWireName, wireNameOf } from '../protocol/wire-name.js';

/** Entries of an owner that no longer exist are removed when it has more than this many. */
const MAX_UNSWEPT = 64;

/** A cache that keeps a value only while other code uses it. */
export class WeakCache<V extends object> {
  readonly #byOwner = new WeakMap<object, { refs: Map<string, WeakRef<V>>; sweepAt: number }>();

  getOrMake(owner: object, key: string, make: () => V): V {
    let held = this.#byOwner.get(owner);
    if (!held) this.#byOwner.set(owner, (held = { refs: new Map(), sweepAt: MAX_UNSWEPT }));
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
  if (keys.length === 0) return [];
  const [only] = spec.actions;
  // Fast path: most tools consist of one action, and views contain many of them.
  if (only && spec.discriminator === undefined && spec.actions.length === 1 && keys[0] === only.key)
    return [flatToolOf(compiled.get(only.key) as CompiledAction)];
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

/** Flat tools, which are the same in every view. */
const flatTools = new WeakMap<CompiledAction, CompiledTool>();
/** Grouped tools by their subset of actions. There may be as many subsets as selections, so only those in use are kept. */
const groupedTools = new WeakCache<CompiledTool>();

/** The flat tool of an action. */
export function flatToolOf(compiled: CompiledAction): CompiledTool {
  let tool = flatTools.get(compiled);
  if (!tool) flatTools.set(compiled, (tool = compileFlat(compiled)));
  return tool;
}

/** The chosen actions as a bit string, such as `101`. */
function maskOf({ actions }: ToolSpec, chosen: readonly InternalAction[]): string {
  const members = new Set(chosen);
  return actions.map((action) => (members.has(action) ? '1' : '0')).join('');
}

const flatNames = new WeakMap<CompiledAction, string>();

/** The wire name of an action in the flat form. */
export function flatNameOf(compiled: CompiledAction): string {
  const { spec, action } = compiled;
  if (spec.discriminator === undefined && spec.namespace === undefined) return spec.name;
  let name = flatNames.get(compiled);
  if (name === undefined) {
    name = wireNameOf({ namespace: spec.namespace, name: flatToolName(spec, action) });
    flatNames.set(compiled, name);
  }
  return name;
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

/** The name of that part, without its namespace. */
export function partToolName(
  { name }: Pick<ToolSpec, 'name'>,
  { readOnly }: Pick<InternalAction, 'readOnly'>,
): string {
  return toWireName(name, readOnly === true ? 'read' : 'write');
}

/** The former wire names of a compiled tool in a form. */
export function formerNamesOf(tool: CompiledTool, spec: ToolSpec): string[] {
  const { aliases = [], namespace, discriminator, name } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  const [[key = '', compiled] = []] = tool.actions;
  if (!compiled) return [];
  if (tool.discriminator !== undefined) {
    // A part of a tool that is split by risk has the ending of its name.
    const ending = tool.wireName.slice(toWire(name).length);
    return aliases.map((alias) => toWire(`${alias}${ending}`));
  }
  if (discriminator === undefined) return aliases.map(toWire);
  const keys = [compiled.action.key, ...(compiled.action.aliases ?? [])];
  const names = [name, ...aliases].flatMap((own) => keys.map((each) => toWireName(own, ...each.split('.'))));
  return key === '' ? names.slice(1).map(toWire) : [];
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
  const described = { name, description: spec.description, actions: advertised, hasGroup };
  const layout = layouts.get(strategies.description);
  const { maxDescriptionLength: maxLength = MAX_DESCRIPTION } = spec;
  const { description, details } = layout
    ? fitDescription(described, layout, { maxLength, discriminator })
    : { description: strategies.description(described), details: '' };
  const tool = new Tool({
    ...identityOf(spec),
    name,
    description,
    inputSchema: strategies.inputSchema({
      name,
      discriminator,
      details,
      hasGroup,
      actions: advertised,
      common,
      onConflict,
      rejectsUnknown: actions.every((action) => undeclaredIn(spec, action) === 'rejected'),
    }),
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
  const isPlain =
    spec.discriminator === undefined &&
    !spec.common &&
    !action.advertised &&
    action.input instanceof LazySchema;
  return isPlain ? new PlainTool(compiled) : freezeTool(buildFlat(compiled), undefined, [['', compiled]]);
}

/** The tool of a plain action. It is built, which converts its schema, when a client lists it. */
class PlainTool implements CompiledTool {
  readonly wireName: string;
  readonly isPlain = true;
  readonly forward = undefined;
  readonly discriminator = undefined;
  readonly actions: CompiledTool['actions'];
  /** Metadata such as `x-mcp-header` makes a schema not plain. */
  readonly paramHeaders: readonly ParamHeader[] = [];
  readonly #compiled: CompiledAction;
  #tool: Tool | undefined;

  constructor(compiled: CompiledAction) {
    assertToolName(compiled.spec.name);
    this.wireName = wireNameOf(compiled.spec);
    this.actions = new FrozenMap([['', compiled]]);
    this.#compiled = compiled;
    Object.freeze(this);
  }

  get tool(): Tool {
    return (this.#tool ??= deepFreeze(buildFlat(this.#compiled)));
  }
}

function buildFlat(compiled: CompiledAction): Tool {
  const { action, spec } = compiled;
  const isWhole = spec.discriminator === undefined;
  return new Tool({
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

/** An action with the input schema that clients see. */
function asAdvertised(action: InternalAction): InternalAction {
  if (!action.advertised) return action;
  const { vendor, stripsUndeclared, validate } = action.input;
  return { ...action, input: { vendor, stripsUndeclared, validate, ...action.advertised } };
}

function identityOf({ title, icons, meta, tags, namespace, version }: ToolSpec) {
  return { title, tags, namespace, version, icons: icons && [...icons], meta: meta && { ...meta } };
}

/** Validates and freezes a compiled tool. */
function freezeTool(
  tool: Tool,
  discriminator: string | undefined,
  actions: readonly (readonly [string, CompiledAction | undefined])[],
  forward?: Forward,
): CompiledTool {
  tool.validate();
  return Object.freeze({
    wireName: wireNameOf(tool),
    isPlain: false,
    tool: deepFreeze(tool),
    forward,
    discriminator,
    actions: withFormerKeys(actions as readonly (readonly [string, CompiledAction])[], discriminator),
    paramHeaders: findParamHeaders(tool.inputSchema),
  });
}

/** The actions of a tool by key, which former keys find as well. */
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
export function findParamHeaders(schema: unknown, path: readonly string[] = []): ParamHeader[] {
  if (!isJsonObject(schema)) return [];
  const { type, properties, 'x-mcp-header': name } = schema;
  const found: ParamHeader[] = [];
  if (path.length > 0 && typeof name === 'string' && HEADER_NAME.test(name) && headerTypes.has(type)) {
    found.push({ path, header: `Mcp-Param-${name}`, isNumber: type === 'integer' || type === 'number' });
  }
  if (!isJsonObject(properties)) return found;
  for (const [key, child] of Object.entries(properties))
    found.push(...findParamHeaders(child, [...path, key]));
  return found;
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

/** A tool without actions of its own, whose calls run actions of other tools. */
export function compileForwarding(tool: Tool, forward: Forward): CompiledTool {
  return freezeTool(tool, undefined, [], forward);
}
