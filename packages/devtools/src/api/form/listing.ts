import type { OpenedRegistry } from '@toolfold/analysis/internal';
import { declareActions, readPaths } from '@toolfold/code/internal';
import { ErrUnknownTool } from 'toolfold/errors';
import type { View } from 'toolfold';
import type { McpTool } from 'toolfold/model';
import { lowerTool } from '@toolfold/profiles';
import { answerDescribe, callToolOf, searchContentsOf, runInSlices } from '@toolfold/search/internal';
import type { SearchContents, SearchEntry } from '@toolfold/search/internal';
import type { Listing } from '../../page-api.js';
import type { Snapshot } from '../snapshot.js';
import { findItem, surfaceOf } from '../surface.js';
import type { SurfaceItem } from '../surface.js';
import { asListed } from './as-listed.js';
import { counterOf } from './counter.js';
import { openForm } from './forms.js';
import type { FormAndProfile } from './forms.js';

type Shown = Extract<Listing, { readonly tool: McpTool }>;
/** The listed tool through which a model calls an item. */
type Found = Pick<Shown, 'call' | 'described'> & { readonly name: string };

/** Returns what a model reads of an item in a form, for a profile. */
export async function listingOf(
  snapshot: Snapshot,
  address: string,
  { form, profile }: FormAndProfile,
  signal: AbortSignal,
): Promise<Listing> {
  const item = findItem(await surfaceOf(snapshot, signal), address);
  const wanted = { form, profile };
  const lowered = await openForm(snapshot, wanted, signal);
  const authored = await openForm(snapshot, { form, profile: 'none' }, signal);
  if ('problem' in lowered) return { ...wanted, problem: lowered.problem };
  if ('problem' in authored) return { ...wanted, problem: authored.problem };
  const found = await findListed(snapshot, item, wanted, lowered.opened, signal);
  if ('problem' in found) return { ...wanted, problem: found.problem };
  const tools = lowered.opened.view.listTools();
  const at = tools.findIndex(({ name }) => name === found.name);
  const offered = tools[at] as McpTool;
  // Both lists have the same tools in the same order.
  const written = authored.opened.view.listTools()[at] ?? offered;
  const changes = profile === 'none' ? [] : lowerTool(written, profile).changes;
  const [tool = offered] = asListed(snapshot, wanted, [offered]);
  const { call, described } = found;
  const counter = await counterOf(snapshot, signal);
  const [tokens = 0] = await counter.count([tool]);
  return {
    ...wanted,
    tool,
    described,
    call,
    tokens,
    changes: changes.map(({ rule, path, message }) => ({ rule, pointer: path, message })),
  };
}

/** Finds the listed tool through which a model calls an item. */
async function findListed(
  snapshot: Snapshot,
  item: SurfaceItem,
  { form }: FormAndProfile,
  { view }: OpenedRegistry,
  signal: AbortSignal,
): Promise<Found | { readonly problem: string }> {
  const { listed: tool, action, address } = item;
  const contents = searchContentsOf(view);
  const isWhole = !action && tool.discriminator !== undefined;
  if (isWhole && (contents || form === 'flat'))
    return {
      problem:
        form === 'flat'
          ? `In the flat form, each action of "${tool.tool.name}" is a tool.`
          : `In the ${form} form, a model finds and calls the actions of "${tool.tool.name}" one by one.`,
    };
  const wanted = isWhole ? tool.actions[0]?.address : address;
  const direct = findHolder(view, wanted ?? address);
  if (direct && !contents) {
    const { discriminator } = view.tools.get(direct) ?? {};
    const fixed = discriminator !== undefined && action ? { [discriminator]: action.key } : {};
    return { name: direct, call: { name: direct, arguments: fixed } };
  }
  const entry = contents?.entries.byAddress.get(address);
  if (!contents || !entry) return { problem: `The ${form} form does not have "${address}".` };
  const described = await describe(snapshot, contents, entry, form, signal);
  // A pinned tool is listed in addition.
  if (direct) return { name: direct, call: { name: direct, arguments: {} }, described };
  if (form !== 'code') {
    const name = callToolOf[entry.kind];
    return { name, call: { name, arguments: { address } }, described };
  }
  const code = `return await tools.${readPaths(contents.entries).pathOf(address)}({});`;
  return { name: 'run_code', call: { name: 'run_code', arguments: { code } }, described };
}

/** Finds the grouped tool that contains an action. */
function findHolder({ tools }: View, address: string): string | undefined {
  for (const [name, { actions }] of tools)
    for (const compiled of actions.values()) if (compiled.address === address) return name;
  return undefined;
}

/** Returns the answer of `describe_tools` for an action. */
async function describe(
  { served }: Snapshot,
  { entries }: SearchContents,
  entry: SearchEntry,
  form: FormAndProfile['form'],
  signal: AbortSignal,
): Promise<string> {
  const { address } = entry.compiled;
  if (form === 'code') {
    const settings = { allow: served.view?.code?.allow };
    return runInSlices(declareActions([entry], { paths: readPaths(entries), settings }), signal);
  }
  const { content } = answerDescribe([address], entries, (name) => new ErrUnknownTool(name));
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}
