import { assertPlain, didYouMean, isJsonObject, nearestName, suggestName } from '@toolfold/schema/internal';
import { wireNameOf } from '../protocol/wire-name.js';
import { ErrInvalidCatalog, ErrUnknownToolset } from '@toolfold/schema/errors';
import { internalsOf } from '../registry/any-registry.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { ToolsetTexts } from './forms/form.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';

/** A named set of tools that clients enable or select together. */
export interface ToolSetDefinition<App = unknown> {
  /** The name that is shown to people and models. */
  readonly name: string;
  /** The purpose of the tools. */
  readonly description: string;
  /** Tells a model when to use the toolset. */
  readonly decisionCriteria?: string;
  /** Direct tools, which need no loading. */
  readonly tools?: readonly LoadedTool<App>[];
  /** The modules whose tools belong to the toolset. */
  readonly modules?: readonly string[];
}

/** Toolsets by key. */
export type ToolSetCatalog<App = unknown> = Readonly<Record<string, ToolSetDefinition<App>>>;

/** The names of the tools with which sessions enable toolsets. */
export const dynamicToolNames = [
  'list_toolsets',
  'describe_toolset',
  'enable_toolset',
  'disable_toolset',
  'list_tools',
] as const;

export interface CatalogRules {
  readonly isNamespaced?: boolean | undefined;
  readonly reserved?: readonly string[] | undefined;
}

const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '_meta']);
const fields = ['name', 'description', 'decisionCriteria', 'tools', 'modules'];
const KEY = /^[A-Za-z0-9][\w-]{0,63}$/;

/** Reads a catalog in its order. Throws on the first mistake in its contents, before the server starts. */
export function readCatalog(
  catalog: ToolSetCatalog<never>,
  loaders: Readonly<Record<string, ModuleLoader<never>>>,
  rules: CatalogRules = {},
): ReadonlyMap<string, ToolSetDefinition<never>> {
  const modules = new Map(Object.entries(loaders));
  const toolsets = new Map(Object.entries(catalog));
  const used = new Set<string>();
  for (const [key, toolset] of toolsets) {
    assertDefinition(key, toolset);
    assertTools(key, toolset.tools ?? [], rules);
    for (const module of toolset.modules ?? []) {
      used.add(module);
      if (modules.has(module)) continue;
      throw new ErrInvalidCatalog(`Toolset "${key}" names the module "${module}", which does not exist.`, {
        ...suggestName(module, modules.keys()),
        details: { toolset: key, module },
      });
    }
  }
  for (const module of modules.keys()) {
    if (used.has(module)) continue;
    throw new ErrInvalidCatalog(`Module "${module}" is in no toolset, so no caller can reach it.`, {
      hint: 'Add it to the modules of a toolset, or remove its loader.',
      details: { module },
    });
  }
  return toolsets;
}

/** Adds the toolsets that are mounted registries, after those of the catalog. */
export function addMounted(
  catalog: ReadonlyMap<string, ToolSetDefinition<never>>,
  mounted: ReadonlyMap<string, Pick<ToolSetDefinition, 'name' | 'description' | 'decisionCriteria'>>,
): ReadonlyMap<string, ToolSetDefinition<never>> {
  const taken = [...mounted.keys()].find((key) => catalog.has(key));
  if (taken === undefined) return new Map([...catalog, ...mounted]);
  throw new ErrInvalidCatalog(
    `Toolset "${taken}" is in the catalog, and a registry is mounted as a toolset of that key.`,
    { hint: 'Rename one of them.', details: { toolset: taken } },
  );
}

/** The texts of the mounted registries that are toolsets. */
export function describeMounted(registry: AnyRegistry): readonly ToolsetTexts[] {
  return [...internalsOf(registry).tools.toolsets].map(([key, toolset]) => ({ key, ...toolset }));
}

/** Throws if a toolset does not exist. The message names the existing ones. */
export function assertToolset(key: string, known: readonly string[], where: string): void {
  if (known.includes(key)) return;
  const nearest = nearestName(key, known);
  throw new ErrUnknownToolset(
    `Unknown toolset "${key.slice(0, 80)}" in ${where}.${didYouMean(nearest)} ${known.length === 0 ? 'There are none.' : `Valid: ${known.join(', ')}.`}`,
    { details: { toolset: key, suggestions: nearest === undefined ? [] : [nearest] } },
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function assertDefinition(key: string, toolset: unknown): asserts toolset is ToolSetDefinition<never> {
  const details = { toolset: key };
  if (forbidden.has(key) || !KEY.test(key))
    throw new ErrInvalidCatalog(`"${key.slice(0, 80)}" cannot be the key of a toolset.`, {
      hint: 'Use at most 64 letters, digits, _ and -.',
      details,
    });
  if (!isJsonObject(toolset) || !isText(toolset['name']) || !isText(toolset['description']))
    throw new ErrInvalidCatalog(`Toolset "${key}" needs a name and a description.`, { details });
  assertPlain(`Toolset "${key}"`, toolset, { error: ErrInvalidCatalog });
  const unknown = Object.keys(toolset).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    throw new ErrInvalidCatalog(`Toolset "${key}": "${unknown}" is not a field of a toolset.`, {
      ...suggestName(unknown, fields),
      details: { ...details, field: unknown },
    });
  }
  const wrong = (what: string): ErrInvalidCatalog =>
    new ErrInvalidCatalog(`Toolset "${key}": ${what}.`, { details });
  const { tools, modules, decisionCriteria } = toolset;
  if (decisionCriteria !== undefined && typeof decisionCriteria !== 'string')
    throw wrong('decisionCriteria must be text');
  if (tools === undefined && modules === undefined) throw wrong('it needs tools or modules');
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((tool) => isJsonObject(tool))))
    throw wrong('tools must be a list of tools');
  if (modules !== undefined && !(Array.isArray(modules) && modules.every(isText)))
    throw wrong('modules must be a list of names');
}

/** Checks the direct tools of a toolset without compiling them. */
function assertTools(key: string, tools: readonly LoadedTool<never>[], rules: CatalogRules): void {
  const { isNamespaced = false, reserved = [] } = rules;
  const byID = new Map<string, LoadedTool<never>>();
  for (const tool of tools) {
    const own: unknown = tool.name;
    const wrong = (what: string, hint?: string): ErrInvalidCatalog =>
      new ErrInvalidCatalog(`Toolset "${key}": ${what}.`, {
        ...(hint === undefined ? {} : { hint }),
        details: { toolset: key, tool: own },
      });
    if (typeof own !== 'string' || own === '') throw wrong('one of its tools has no name');
    const isBuilder = 'compile' in tool;
    if (!isBuilder) assertPlain(`Toolset "${key}": the tool "${own}"`, tool, { error: ErrInvalidCatalog });
    if (typeof (isBuilder ? tool.compile : tool.handler) !== 'function')
      throw wrong(`the tool "${own}" has no handler`);
    if (isBuilder && isNamespaced)
      throw wrong(
        `the builder "${own}" cannot be renamed`,
        'Leave namespaceToolsWithSetKey off, or give its actions as tools.',
      );
    // Listing the same tool object twice is allowed; two tools with one ID are not.
    const namespace = 'namespace' in tool ? tool.namespace : undefined;
    const id = namespace === undefined ? own : `${namespace}:${own}`;
    if ((byID.get(id) ?? tool) !== tool) throw wrong(`two of its tools are called "${id}"`);
    byID.set(id, tool);
    const name = wireNameOf({ namespace, name: isNamespaced ? `${key}_${own}` : own });
    if (reserved.includes(name))
      throw wrong(
        `no tool can be called "${name}", because clients enable toolsets with a tool of that name`,
      );
  }
}
