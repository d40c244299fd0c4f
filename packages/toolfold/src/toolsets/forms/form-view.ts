import { AliasedMap } from '../../compile/compiled-tool.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import { compileForwarding, compileTools, flatToolOf, formerAddressesIn } from '../../compile/tool-forms.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '@toolfold/schema/errors';
import { Tool, ToolAnnotations } from '../../model/tool.js';
import { wireNameOf } from '../../protocol/wire-name.js';
import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { profileOf } from '../../views/policy.js';
import { createView } from '../../views/view.js';
import type { View } from '../../views/view.js';
import type { Form, FormServer, FormTool, FormTools } from './form.js';
import { internalsOf } from '../../registry/any-registry.js';

export interface Pins {
  /** Tools that stay listed beside those of the form, by name or address. */
  readonly pinned?: readonly string[] | undefined;
  /** Whether pinned tools may be missing from the view. Default: a missing one is an error. */
  readonly mayMissPins?: boolean | undefined;
  /** The toolsets whose tools stay listed. */
  readonly startup?: readonly string[] | undefined;
}

/** Creates the view that lists the tools which a form created for another view. The result is not cached here. */
export function createFormView(
  { registry }: FormServer,
  view: View,
  { name: form }: Form,
  created: FormTools,
  { pinned = [], mayMissPins = false, startup = [] }: Pins,
): View {
  const compile = (tool: FormTool): CompiledTool => compileTool(tool, view, registry);
  const byName = (tools: readonly FormTool[] = []): Map<string, CompiledTool> =>
    new Map(tools.map(compile).map((each) => [each.wireName, each]));
  const tools = byName(created.listed);
  const unlisted = byName(created.unlisted);
  const isOwn = (name: string): boolean => tools.has(name) || unlisted.has(name);
  const ofStartup = view.groups.filter(({ key }) => startup.includes(key)).flatMap((group) => group.tools);
  // A tool with the name of a tool of the form can be found, but not listed.
  const startupPins = ofStartup.filter((name) => !isOwn(name));
  for (const pin of pinned) {
    const own = unlisted.get(pin);
    if (own) tools.set(pin, own);
  }
  const others = pinned.filter((pin) => !unlisted.has(pin));
  if (!mayMissPins) assertPins(form, view, others);
  for (const pin of new Set([...others, ...startupPins])) {
    const found = findPinned(pin, view);
    if (found) addPinned(tools, found, form);
  }
  for (const name of tools.keys()) unlisted.delete(name);
  const { policy } = view;
  return createView({
    host: internalsOf(registry).viewHost,
    policy,
    tools: unlisted.size > 0 ? new AliasedMap(tools, unlisted) : tools,
    shown: Object.freeze({ form, view, tools: created }),
    onListed: created.onListed,
    profile: profileOf(policy),
  });
}

function compileTool(given: FormTool, { tools }: View, registry: FormServer['registry']): CompiledTool {
  if ('wireName' in given) return given;
  if ('forward' in given) {
    const { forward, annotations, ...init } = given;
    const tool = new Tool({ ...init, annotations: annotations && new ToolAnnotations(annotations) });
    return compileForwarding(tool, (called) => {
      const to = forward(called);
      if (typeof to === 'function') return to;
      const { sent, ...call } = to;
      return { ...call, tools, reading: sent && { sent, read: call.arguments } };
    });
  }
  const { spec, actions } = internalsOf(registry).tools.compileItem(given);
  return compileTools(spec, actions)[0] as CompiledTool;
}

/** Finds a tool of the view by name, or an action of the view by address. The action becomes a separate tool. */
function findPinned(pin: string, { tools }: View): CompiledTool | undefined {
  const tool = tools.get(pin);
  if (tool) return tool;
  let former: CompiledTool | undefined;
  for (const holder of tools.values()) {
    for (const compiled of holder.actions.values()) {
      const own = holder.discriminator === undefined ? holder : flatToolOf(compiled);
      if (compiled.address === pin) return own;
      if (formerAddressesIn(compiled).includes(pin)) former = own;
    }
  }
  return former;
}

function addPinned(tools: Map<string, CompiledTool>, pinned: CompiledTool, form: string): void {
  const name = wireNameOf(pinned.tool);
  const other = tools.get(name);
  if (other === pinned) return;
  if (other) {
    throw new ErrDuplicateName(
      `A tool "${name}" cannot be pinned, because the ${form} form already lists one.`,
      {
        hint: 'Rename it, or do not pin it: the search tools still find and call it.',
        details: { name, kind: 'tool' },
      },
    );
  }
  tools.set(name, pinned);
}

/** Rejects pins that do not exist, because they are mistakes in the configuration. */
export function assertPins(form: string, view: View, pins: readonly string[]): void {
  for (const pin of pins) {
    if (findPinned(pin, view)) continue;
    const known = new Set(view.tools.keys());
    for (const { actions } of view.tools.values())
      for (const { address } of actions.values()) known.add(address);
    throw new ErrInvalidPolicy(
      `The ${form} form pins "${pin}", which does not exist.${didYouMean(nearestName(pin, known))}`,
      { details: { address: pin } },
    );
  }
}
