import type { Caller, CallerAuth, KnownClient, Selection, View } from 'toolfold';
import { Exposure } from 'toolfold/web';
import type { ToolsetConfig } from 'toolfold/web';
import { formOf, inParts, reasonOf, yieldToEventLoop } from '@toolfold/analysis/internal';
import { DEFAULT_PROFILE, findClient, internalsOf } from 'toolfold/internal';
import { callToolOf, searchContentsOf, runInSlices } from '@toolfold/search/internal';
import { canonicalJson } from '@toolfold/schema/internal';
import { ApiFailure, readMessage } from '../../http/answers.js';
import { refusalOf } from '../../offered-choices.js';
import type { Perspective, ViewReport } from '../../page-api.js';
import { asListed } from '../form/as-listed.js';
import { counterOf } from '../form/counter.js';
import type { Snapshot } from '../snapshot.js';
import { allActions, configOf } from './all-actions.js';
import type { KnownAction, ServerConfig } from './all-actions.js';
import { createConditions, missingScopes } from './conditions.js';
import type { Condition } from './condition.js';
import { readToolsetLimits } from './toolset-condition.js';

/** Reports the tools that a caller sees, and why other actions are hidden. */
export function viewReportOf(
  snapshot: Snapshot,
  perspective: Perspective,
  signal: AbortSignal,
): Promise<ViewReport> {
  const key = `view ${canonicalJson(perspective)}`;
  // There are too many possible perspectives to keep all reports.
  return snapshot.share(key, signal, (shared) => createReport(snapshot, perspective, shared), {
    isKept: false,
  });
}

async function createReport(
  snapshot: Snapshot,
  perspective: Perspective,
  signal: AbortSignal,
): Promise<ViewReport> {
  const seen = await look(snapshot, perspective, signal);
  const { view, scopes, client } = seen;
  const counter = await counterOf(snapshot, signal);
  if (view.prepareList) await runInSlices(view.prepareList(), signal);
  const behind = addressesBehind(view);
  const listed = view.listTools();
  const { profile = DEFAULT_PROFILE } = view.policy;
  const form = formOf(view);
  const shown = asListed(snapshot, { form, profile }, listed);
  const counts = await inParts(shown, counter.count, signal);
  const tools = shown.map(({ name, description }, at) => ({
    name,
    ...(description === undefined ? {} : { description }),
    tokens: counts[at] ?? 0,
    addresses: behind(listed[at]?.name ?? name),
  }));
  const hidden = await runInSlices(explainHidden(seen), signal);
  return {
    form,
    profile,
    ...(client ? { reason: describeChoice(client, seen) } : {}),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    tools,
    challenged: await runInSlices(challengedIn(view, scopes), signal),
    hidden: hidden.map(({ address, reasons }) => ({ address, reasons })),
  };
}

/** The view of a perspective and the facts that determined it. */
export interface Seen {
  readonly view: View;
  readonly scopes: ReadonlySet<string>;
  /** The forms that the server tries for the client, in order. */
  readonly tried: readonly string[];
  /** The matching row of the table of clients, if the perspective has a client. */
  readonly client: KnownClient | undefined;
  /** Whether form or profile depend on the client. */
  readonly isChosenByClient: boolean;
  readonly actions: ReadonlyMap<string, KnownAction>;
  readonly conditions: readonly Condition[];
}

/** Resolves the view that a caller with this perspective gets. */
export async function look(snapshot: Snapshot, perspective: Perspective, signal: AbortSignal): Promise<Seen> {
  const config = configOf(snapshot);
  const refusal = refusalOf(snapshot.loaded, perspective);
  if (refusal !== undefined) throw new ApiFailure(refusal, { status: 409 });
  const actions = await allActions(snapshot, signal);
  const { hidesScopes = config.hidesScopes, client } = perspective;
  const scopes = perspective.caller?.scopes ?? allScopes(actions);
  const auth: CallerAuth = { clientId: 'page', ...perspective.caller, scopes };
  const held = new Set(scopes);
  const selection = selectionOf(perspective);
  const info = client && { name: client.name, version: client.version ?? '' };
  const caller: Caller = { auth, client: info };
  const ceiling = selectFor(auth, config);
  const exposure = createExposure(snapshot, config, perspective, hidesScopes);
  try {
    await yieldToEventLoop(signal);
    const request = exposure.complete({
      caller,
      protocolVersion: '2026-07-28',
      ...(Object.keys(selection).length > 0 ? { selection } : {}),
    });
    const view = await exposure.viewFor(request);
    const keys = [
      ...Object.keys(config.toolsets?.catalog ?? {}),
      ...internalsOf(snapshot.loaded.registry).tools.toolsets.keys(),
    ];
    const { offers } = exposure;
    return {
      view,
      scopes: held,
      tried: offers.of(caller.client).offers.map(({ form }) => form),
      client: info && findClient(offers.clients, info),
      isChosenByClient: !offers.isFixed,
      actions,
      conditions: await runInSlices(
        createConditions(actions.values(), {
          config,
          form: (view.shown?.view ?? view).policy,
          scopes: held,
          hidesScopes,
          selection,
          ceiling,
          limits: readToolsetLimits(config.toolsets, keys, ceiling, selection),
        }),
        signal,
      ),
    };
  } finally {
    exposure.close();
  }
}

/** Creates the Exposure of the server, unless the perspective overrides form or profile. */
function createExposure(
  { loaded }: Snapshot,
  { view, toolsets }: ServerConfig,
  { form, profile }: Perspective,
  hidesScopes: boolean,
): Exposure {
  const chosen = { form: form ?? view.form, profile: profile ?? view.profile };
  const hasCode = chosen.form === 'code' || chosen.form === 'auto';
  return new Exposure(loaded.registry, {
    view: { ...view, ...chosen, code: hasCode ? view.code : undefined },
    scopes: hidesScopes ? 'hide' : 'challenge',
    ...(toolsets ? { toolsets: toolsets as ToolsetConfig } : {}),
  });
}

/** Runs the operator's `select`. Its error explains why a caller sees nothing. */
function selectFor(auth: CallerAuth, { toolsets }: ServerConfig): Selection | undefined {
  try {
    return toolsets?.select?.(auth);
  } catch (error) {
    throw new ApiFailure(`select of the configuration of toolsets failed: ${readMessage(error)}`, {
      status: 422,
    });
  }
}

function selectionOf({ toolsets, tools, excludeTools, readOnly }: Perspective): Selection {
  return {
    ...(toolsets ? { toolsets } : {}),
    ...(tools ? { tools } : {}),
    ...(excludeTools ? { excludeTools } : {}),
    ...(readOnly === true ? { readOnly } : {}),
  };
}

function allScopes(actions: ReadonlyMap<string, KnownAction>): readonly string[] {
  return [...new Set([...actions.values()].flatMap(({ compiled }) => compiled.action.scopes))].toSorted();
}

/** Returns the actions of the view's tools and of its search. */
function visibleIn(view: View): Map<string, readonly string[]> {
  const visible = new Map<string, readonly string[]>();
  for (const each of [view, ...(view.shown ? [view.shown.view] : [])])
    for (const { actions } of each.tools.values())
      for (const { address, action } of actions.values()) visible.set(address, action.scopes);
  return visible;
}

function* challengedIn(view: View, held: ReadonlySet<string>): Generator<void, ViewReport['challenged']> {
  const challenged: ViewReport['challenged'][number][] = [];
  for (const [address, needed] of visibleIn(view)) {
    yield;
    const scopes = missingScopes(needed, held);
    if (scopes.length > 0) challenged.push({ address, scopes });
  }
  return challenged;
}

/** A hidden action, with the settings that hide it and a sentence about each. */
interface HiddenAction {
  readonly address: string;
  readonly causes: readonly string[];
  readonly reasons: readonly string[];
}

export function* explainHidden({
  view,
  actions,
  conditions,
}: Pick<Seen, 'view' | 'actions' | 'conditions'>): Generator<void, HiddenAction[]> {
  const visible = visibleIn(view);
  const hidden: HiddenAction[] = [];
  for (const [address, known] of actions) {
    yield;
    if (visible.has(address)) continue;
    const failed = conditions.filter((condition) => condition.reasonsFor(known).length > 0);
    hidden.push({
      address,
      causes: failed.map(({ cause }) => cause),
      reasons: failed.flatMap((condition) => condition.reasonsFor(known)),
    });
  }
  return hidden;
}

/** Maps a listed tool to its actions. Tools of the search form have many. */
function addressesBehind(view: View): (name: string) => readonly string[] {
  const contents = searchContentsOf(view);
  const entries = [...(contents?.entries.byAddress.values() ?? [])];
  const addressesOf = (kind: 'read' | 'write'): string[] =>
    entries.filter((entry) => entry.kind === kind).map(({ compiled }) => compiled.address);
  return (name) => {
    if (contents && name === callToolOf.read) return addressesOf('read');
    if (contents && name === callToolOf.write) return addressesOf('write');
    if (contents && name === 'run_code') return entries.map(({ compiled }) => compiled.address);
    return [...(view.tools.get(name)?.actions.values() ?? [])]
      .map(({ address }) => address)
      .filter((address) => !contents || contents.entries.byAddress.has(address));
  };
}

function describeChoice(row: KnownClient, { view, tried, isChosenByClient }: Seen): string {
  const form = formOf(view);
  const { profile = DEFAULT_PROFILE } = view.policy;
  if (!isChosenByClient) {
    const fixed = `All clients get the ${form} form and the profile ${profile}.`;
    return row.profile === profile
      ? fixed
      : `${fixed} With profile: 'client', this one would get ${row.profile}.`;
  }
  const version = row.since === undefined ? '' : ` from ${row.since}`;
  return `The row "${row.name}"${version} of the table of clients fits: ${reasonOf(row, view, tried)}.`;
}
