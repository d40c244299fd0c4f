import type { CompiledSpec, CompiledForm } from '../compile/compiled-tool.js';
import { ErrDuplicateName, ErrInvalidTool } from '../errors.js';
import { compileView } from './view.js';
import type { ViewPolicy } from './policy.js';
import { flatToolName, partToolName } from '../compile/tool-forms.js';
import { wireNameOf } from '../protocol/wire-name.js';

/** Refuses tools that could not be listed, before a request asks for the list. */
export class ListableTools {
  readonly #server: string;
  readonly #allowsAnyName: boolean;
  /** What was compiled elsewhere and found to be listable. */
  readonly #known = new WeakSet<CompiledSpec>();

  constructor(server: string, wireNames: 'portable' | 'any' | undefined) {
    this.#server = server;
    this.#allowsAnyName = wireNames === 'any';
  }

  assert(specs: readonly CompiledSpec[]): void {
    const tools = compileView({ name: this.#server }, specs, {}).listTools();
    if (!this.#allowsAnyName) for (const { name } of tools) assertPortable(name);
  }

  /** The same, once for each. */
  assertOnce(specs: readonly CompiledSpec[]): void {
    if (specs.length === 0) return;
    this.assert(specs.filter((spec) => !this.#known.has(spec)));
    for (const spec of specs) this.#known.add(spec);
  }

  /** The names that tools have in a form. Throws on what cannot be listed beside what has these names already. */
  assertFree(
    specs: readonly CompiledSpec[],
    policy: ViewPolicy,
    taken: ReadonlySet<string>,
  ): ReadonlySet<string> {
    this.assertOnce(specs);
    const names = new Set<string>();
    let clashing: string | undefined;
    for (const name of specs.flatMap((spec) => wireNamesOf(spec, policy))) {
      if (taken.has(name) || names.has(name)) clashing ??= name;
      names.add(name);
    }
    if (clashing === undefined) return names;
    throw new ErrDuplicateName(`Two tools would both be called "${clashing}".`, {
      hint: 'Rename one of them, use namespaceToolsWithSetKey, or give the tools of another server a prefix.',
      details: { name: clashing, kind: 'tool' },
    });
  }
}

/** Some clients refuse a whole list for one name. */
function assertPortable(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw new ErrInvalidTool(`Some clients refuse the tool name "${name.slice(0, 80)}".`, {
    hint: "Use at most 64 letters, digits, _ and -, or set wireNames: 'any'.",
    details: { name },
  });
}

/** The names that a tool has in a form, whether or not all of it is shown. */
export function wireNamesOf({ spec }: CompiledSpec, { form, split }: CompiledForm): readonly string[] {
  const { name, namespace, discriminator, actions } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  if (discriminator === undefined || (form !== 'flat' && split !== 'risk')) return [toWire(name)];
  if (form === 'flat') return actions.map((action) => toWire(flatToolName(spec, action)));
  return [...new Set(actions.map((action) => partToolName(spec, action)))].map(toWire);
}
