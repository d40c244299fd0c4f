import { didYouMean, NameIndex } from '@toolfold/schema/internal';
import type { CompiledAction, CompiledForm, CompiledSpec, ToolSpec } from '../compile/compiled-tool.js';
import { flatNameOf, flatToolName, partNameOf } from '../compile/tool-forms.js';
import type { InternalAction } from '../define/read-definition.js';
import { wireNameOf } from '../protocol/wire-name.js';
import { loweredNamesOf } from './lower-view.js';
import { ErrInvalidSelection } from '@toolfold/schema/errors';
import type { Narrowing, ViewPolicy } from './policy.js';

export type Allows = (compiled: CompiledAction) => boolean;

type Names = ReadonlySet<string>;
type IsNamed = (names: Names, compiled: CompiledAction) => boolean;

/** The names by which a policy can select an action: the ID of its tool, and its own address. */
export function addressesOf({ toolID, address, formerAddresses }: CompiledAction): readonly string[] {
  return toolID === address ? [...formerAddresses, address] : [...formerAddresses, toolID, address];
}

/** Addresses, and the wire name under which an action is listed in a form. */
function namesIn(compiled: CompiledAction, { form, split }: CompiledForm): readonly string[] {
  const { spec, action } = compiled;
  const isWhole = spec.discriminator === undefined || (form !== 'flat' && split === undefined);
  if (isWhole && spec.namespace === undefined) return addressesOf(compiled);
  if (isWhole) return [...addressesOf(compiled), wireNameOf(spec)];
  const listed = form === 'flat' ? flatNameOf(compiled) : partNameOf(spec, action);
  return [...addressesOf(compiled), listed];
}

/**
 * Names that select an action unless a tool is listed under them: its name in the flat form, its former names, and the names that
 * profiles give to its tool, because a request names tools as some client lists or has listed them.
 */
function otherNames(compiled: CompiledAction, form: CompiledForm): readonly string[] {
  const { spec, action } = compiled;
  if (hasFormerNames(spec, action)) return wireNamesOf(compiled);
  const flat = flatNameOf(compiled);
  const listed = namesIn(compiled, form).at(-1) ?? flat;
  const lowered = loweredNamesOf(flat);
  return listed === flat ? [flat, ...lowered] : [flat, ...lowered, ...loweredNamesOf(listed)];
}

function hasFormerNames({ aliases = [] }: ToolSpec, action: InternalAction): boolean {
  return aliases.length > 0 || (action.aliases ?? []).length > 0;
}

/** The wire names of an action in all forms, with its present and its former names, and the names that profiles give to them. */
function wireNamesOf({ spec, action }: CompiledAction): readonly string[] {
  const keys = [action.key, ...(action.aliases ?? [])];
  const names = [spec.name, ...(spec.aliases ?? [])].flatMap((name) => {
    const named = { ...spec, name };
    if (spec.discriminator === undefined) return [wireNameOf(named)];
    const flat = keys.map((key) => wireNameOf({ ...named, name: flatToolName(named, { key }) }));
    return [wireNameOf(named), partNameOf(named, action), ...flat];
  });
  return names.flatMap((name) => [name, ...loweredNamesOf(name)]);
}

/** Creates the filter of a policy by tags, names and the read-only declaration. Pass the result of `normalizePolicy`. */
export function createPredicate(
  policy: ViewPolicy,
  isOnly: IsNamed = isAddressed,
  isNever: IsNamed = isOnly,
): Allows {
  const { tags: all, anyTags: any, excludeTags: none } = policy;
  const [only, never] = [policy.actions, policy.exclude].map((names) => names && new Set(names));
  return (compiled) => {
    if (policy.readOnly === true && compiled.action.readOnly !== true) return false;
    if (only && !isOnly(only, compiled)) return false;
    if (never && isNever(never, compiled)) return false;
    const { tags } = compiled;
    return (
      (!all || all.every((tag) => tags.has(tag))) &&
      (!any || any.some((tag) => tags.has(tag))) &&
      (!none || !none.some((tag) => tags.has(tag)))
    );
  };
}

function isAddressed(names: Names, { toolID, address, formerAddresses }: CompiledAction): boolean {
  return names.has(address) || names.has(toolID) || formerAddresses.some((former) => names.has(former));
}

/**
 * Creates the filter of a caller's ceiling. A ceiling may name tools that do not exist. A name grants the tool that is listed
 * under it in the current form by its author's name, and not a tool of that name in another form or profile. An excluded name hides
 * the tools that have or had that name in any form or profile, because a change of these must not reveal excluded tools.
 */
export function createCeiling(ceiling: Narrowing, form: CompiledForm): Allows {
  return createPredicate(
    ceiling,
    (names, compiled) => namesIn(compiled, form).some((name) => names.has(name)),
    (names, compiled) => [...addressesOf(compiled), ...wireNamesOf(compiled)].some((name) => names.has(name)),
  );
}

/**
 * Creates the filter of a request's selection. A name selects the tool that is listed under it, or the action with that
 * address. If there is none, the name selects the action that has it in the flat form or in a profile.
 */
export function createSelection(
  specs: readonly CompiledSpec[],
  isVisible: Allows,
  narrowing: Narrowing,
  { form, toleratesUnknown }: { readonly form: CompiledForm; readonly toleratesUnknown: boolean },
): Allows {
  const { actions = [], exclude = [] } = narrowing;
  const wanted = new Set([...actions, ...exclude]);
  if (wanted.size === 0) return createPredicate(narrowing);
  const [listed, elsewhere] = [new Set<string>(), new Set<string>()];
  visitVisible(specs, isVisible, (compiled) => {
    for (const name of namesIn(compiled, form)) if (wanted.has(name)) listed.add(name);
    for (const name of otherNames(compiled, form)) if (wanted.has(name)) elsewhere.add(name);
  });
  const isUnknown = (name: string): boolean => !listed.has(name) && !elsewhere.has(name);
  if (!toleratesUnknown && [...wanted].some(isUnknown)) {
    const rejection = new SelectableNames(specs, isVisible, form).reject(narrowing);
    if (rejection) throw rejection;
  }
  return createPredicate(narrowing, (names, compiled) => {
    if (namesIn(compiled, form).some((name) => names.has(name))) return true;
    return otherNames(compiled, form).some((name) => names.has(name) && !listed.has(name));
  });
}

function visitVisible(
  specs: readonly CompiledSpec[],
  isVisible: Allows,
  visit: (compiled: CompiledAction) => void,
): void {
  for (const { actions } of specs) {
    for (const compiled of actions.values()) if (isVisible(compiled)) visit(compiled);
  }
}

/** The names that requests can select. Hidden names are reported as unknown, like names that were never registered. */
export class SelectableNames {
  readonly #names = new Set<string>();
  #index: NameIndex | undefined;

  constructor(specs: readonly CompiledSpec[], isVisible: Allows, form: CompiledForm) {
    visitVisible(specs, isVisible, (compiled) => {
      for (const name of namesIn(compiled, form)) this.#names.add(name);
      for (const name of otherNames(compiled, form)) this.#names.add(name);
    });
  }

  reject({ actions = [], exclude = [] }: Narrowing): ErrInvalidSelection | undefined {
    const isUnknown = (name: string): boolean => !this.#names.has(name);
    const unknown = actions.find(isUnknown) ?? exclude.find(isUnknown);
    if (unknown === undefined) return undefined;
    this.#index ??= new NameIndex(this.#names);
    return new ErrInvalidSelection(
      `Unknown tool "${unknown.slice(0, 80)}" in the selection.${didYouMean(this.#index.nearest(unknown))}`,
      { hint: 'Name tools as they are listed, or by their addresses.' },
    );
  }
}
