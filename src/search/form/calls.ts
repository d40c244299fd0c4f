import { clip, didYouMean, listNames } from '../../schema/validate/describe-issues.js';
import type { Forward } from '../../compile/compiled-tool.js';
import { repairJson } from '../../guards/repair/json-repair.js';
import type { RepairPlan } from '../../guards/repair/json-repair.js';
import { nearestName } from '../../values/nearest-name.js';
import type { Effort } from '../../values/nearest-name.js';
import { ErrUnknownTool, ErrValidationFailed } from '../../errors.js';
import type { View } from '../../views/view.js';
import { isJsonObject } from '../../values/json-value.js';
import type { SearchEntries, SearchEntry } from './entries.js';

type Kind = SearchEntry['kind'];

/** The search tool that calls actions of a kind. */
export const callToolOf: Readonly<Record<Kind, string>> = {
  read: 'call_read_tool',
  write: 'call_write_tool',
};

/** Parses nested values that a model sent as JSON text. */
const nested: RepairPlan = { isNested: true, fields: new Map(), items: undefined };
const plan: RepairPlan = { isNested: false, fields: new Map([['arguments', nested]]), items: undefined };

/** Formatting hints, which every call accepts beside its arguments. */
const hints: ReadonlySet<string> = new Set(['minify', '_minify', '__minify']);

/** Forwards calls of `{ address, arguments }` to the action with that address, if the action is of the right kind. */
export function createForward({ tools }: View, entries: SearchEntries, kind: Kind): Forward {
  return (given) => {
    const { address, arguments: sent, ...beside } = repairJson(given, plan).input;
    if (typeof address !== 'string')
      return () => reject('address: must be the address of a tool, as search_tools returns it');
    const entry = entries.byAddress.get(address);
    if (!entry) return () => unknownAddress(address, entries, tools);
    if (entry.kind !== kind) return () => wrongKind(address, entry.kind);
    const own = sent ?? {};
    if (!isJsonObject(own))
      return () => reject(`arguments: must be an object with the arguments of "${address}"`);
    const stray = Object.keys(beside).filter((field) => !hints.has(field));
    if (stray.length > 0) {
      const names = listNames(stray.map((field) => clip(field)));
      return () => reject(`${names}: put the arguments of "${address}" into "arguments"`);
    }
    const { name } = entry;
    const { discriminator } = entry.holder;
    const real = { ...beside, ...own };
    if (discriminator === undefined) return { tools, name, arguments: real };
    // The arguments are those of a direct call of the tool.
    const { key } = entry.compiled;
    if (Object.hasOwn(real, discriminator) && real[discriminator] !== key)
      return () => reject(`arguments.${discriminator}: leave it out, because the address selects the action`);
    return { tools, name, arguments: { ...real, [discriminator]: key } };
  };
}

/** Tools that the view hides are reported as unknown. */
export function unknownAddress(
  address: string,
  { byAddress }: SearchEntries,
  tools: View['tools'],
  effort?: Effort,
): ErrUnknownTool {
  const actions = [...(tools.get(address)?.actions.values() ?? [])].map((action) => action.address);
  if (actions.length > 0) {
    return new ErrUnknownTool(
      `"${address}" is a tool name, not an address. Addresses in this tool: ${listNames(actions)}`,
      { details: { suggestions: actions } },
    );
  }
  const nearest = nearestName(address, byAddress.keys(), effort);
  return new ErrUnknownTool(
    `Unknown tool "${clip(address)}".${didYouMean(nearest)} Call search_tools to get a valid address.`,
    { details: { suggestions: nearest === undefined ? [] : [nearest] } },
  );
}

function wrongKind(address: string, kind: Kind): ErrValidationFailed {
  const does = kind === 'read' ? 'only reads' : 'may change data';
  return reject(`address: "${address}" ${does}. Call it with ${callToolOf[kind]}`, [callToolOf[kind]]);
}

function reject(problem: string, suggestions: readonly string[] = []): ErrValidationFailed {
  return new ErrValidationFailed(`Validation failed: ${problem}.`, { details: { suggestions } });
}
