import { runInSlices } from '@toolfold/search/internal';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import type { CallToolResult, KnownClient, ToolRegistry, View } from 'toolfold';
import { DEFAULT_PROFILE, findClient, internalsOf, isSearchForm } from 'toolfold/internal';
import type { ExposureOptions, OfferedView } from 'toolfold/web';
import { Exposure } from 'toolfold/web';
import { UsageError } from '../command-error.js';
import { isToolfoldError } from '../toolfold-error.js';
import { assertKnown } from './assert-known.js';
import { eachInSteps, yieldToEventLoop } from '../steps.js';
import { listViewInSteps } from './list-tools.js';
import type { LoadedModule } from './loaded-module.js';
import { forms } from './opened-target.js';
import type {
  ClientView,
  Form,
  FormCost,
  FormSurface,
  ListedTarget,
  ListedToolset,
  Selection,
} from './opened-target.js';
import { readSearchedActions } from './searched-actions.js';

type RequestOptions = Parameters<Exposure['viewFor']>[0];
type RequestSelection = NonNullable<RequestOptions['selection']>;

export interface OpenedRegistry extends ListedTarget {
  readonly view: View;
  readonly run: (call: Parameters<ToolRegistry['executeTool']>[0]) => Promise<CallToolResult>;
  readonly close: () => void;
}

/** Opens a registry with its Exposure or toolsets. `name` identifies it in error messages. */
export async function openLoaded(
  name: string,
  loaded: LoadedModule,
  selection: Selection,
): Promise<OpenedRegistry> {
  const { registry } = loaded;
  const { view, form, served, narrow, request, toolsets, close } = await openSource(name, loaded, selection);
  const { profile = DEFAULT_PROFILE } = view.policy;
  const tools = await runInSlices(listViewInSteps(view, internalsOf(registry).outputBudget));
  return {
    kind: 'module',
    server: { name: registry.name, version: registry.version, instructions: registry.instructions },
    found: loaded.found,
    form,
    isSearch: isSearchForm(served),
    isCode: served === 'code',
    profile: profile === 'none' ? undefined : profile,
    view,
    tools,
    toolsets,
    listOthers: async () => ({
      prompts: registry.listPrompts(),
      resources: registry.listResources(),
      templates: registry.listResourceTemplates(),
    }),
    clientViews: loaded.toolsets ? undefined : () => viewsOfClients(loaded),
    searchedActions: () => readSearchedActions(loaded),
    costs: () => costsOf(name, loaded, selection.profile),
    surfaces: loaded.exposure || loaded.toolsets ? undefined : () => surfacesOf(name, loaded, selection),
    listWithout: async (tool, action) =>
      (await narrow({ tools: [tool], excludeTools: [action] })).listTools()[0],
    run: (call) => registry.executeTool({ ...request, ...call, asListed: true }, view),
    close,
  };
}

interface Source {
  readonly view: View;
  /** `undefined` if an Exposure or Toolsets fix the form. */
  readonly form?: Form | undefined;
  /** The name of the form that the server serves. */
  readonly served: string;
  readonly narrow: (selection: RequestSelection) => Promise<View>;
  readonly request: RequestOptions;
  readonly toolsets: readonly ListedToolset[];
  readonly close: () => void;
}

/** Opens the view of a module: the chosen toolsets, or everything that callers can reach. */
async function openSource(file: string, loaded: LoadedModule, selection: Selection): Promise<Source> {
  const { exposure: own, toolsets, config } = loaded;
  const { code, profile, toolsets: chosen, readOnly, isAuthored = false, isWhole = false } = selection;
  const { form } = selection;
  const option = form === undefined ? 'profile' : 'form';
  if ((own ?? toolsets) && (form ?? profile) !== undefined)
    throw new UsageError(
      `--${option} cannot be used: ${file} exports ${own ? 'an Exposure' : 'Toolsets'}, which sets the ${option}.`,
    );
  const narrowing = readOnly ? { readOnly } : {};
  const listed = (lowered: View): View => (isAuthored ? (lowered.authored ?? lowered) : lowered);
  if (toolsets) {
    const session = toolsets.contextOf();
    const known = toolsets.describe([]);
    assertToolsets(
      chosen,
      known.map(({ key }) => key),
      file,
    );
    const narrow = async (some: RequestSelection): Promise<View> =>
      listed(await toolsets.view(chosen ?? toolsets.allowed, session, { ...narrowing, ...some }));
    const view = await narrow({});
    return {
      view,
      served: 'grouped',
      narrow,
      request: { session },
      toolsets: describeGroups(view, known),
      close: () => {},
    };
  }
  const first = own ?? createExposure(loaded, { form, profile, code });
  const { form: served, listsOwnTools: isHidden } = first.offers.first;
  const isListed = isWhole && form === undefined && !own && isHidden;
  const exposure = isListed ? createExposure(loaded, { form: 'grouped', profile }) : first;
  if (exposure !== first) first.close();
  // An exposure compiles its first view at once, which takes long for thousands of tools. Pause before the next view is compiled
  // below.
  await yieldToEventLoop();
  const request = exposure.complete({});
  const reachable = exposure.hasToolsets ? exposure.reachableFor(request) : [];
  assertToolsets(chosen, reachable, file);
  const keys = chosen ?? reachable;
  const { form: listedForm, listsOwnTools } = exposure.offers.first;
  const narrow = async (some: RequestSelection): Promise<View> => {
    const part = { ...narrowing, ...(listsOwnTools && chosen ? { toolsets: chosen } : {}), ...some };
    const wanted = { ...request, selection: part };
    return listed(await (listsOwnTools ? exposure.viewFor(wanted) : exposure.toolsOf(keys, wanted)));
  };
  const view = await narrow({});
  const catalog = keys.map((key) => ({ key, ...config?.catalog[key] }));
  return {
    view,
    form: own ? undefined : listedForm,
    served,
    narrow,
    request,
    toolsets: listsOwnTools ? [] : describeGroups(view, catalog),
    close: () => {
      if (!own) exposure.close();
    },
  };
}

/** Serves a file in a form and a profile. Actions that need scopes stay visible, because a command has no caller. */
export function createExposure(
  { registry, config, view }: LoadedModule,
  chosen: Pick<OfferedView, 'form' | 'profile' | 'code'>,
  options: Pick<ExposureOptions, 'scopes' | 'onError'> = {},
): Exposure {
  const toolsets = config ? { toolsets: config } : {};
  return new Exposure(registry, { ...options, view: overrideView(view, chosen), ...toolsets });
}

/** Returns a view in which a form, a profile or settings of the code form that the user chose replace those of the server. */
export function overrideView(
  offered: OfferedView = {},
  {
    form = offered.form,
    profile = offered.profile,
    code = offered.code,
  }: Pick<OfferedView, 'form' | 'profile' | 'code'>,
): OfferedView {
  const hasCode = form === 'code' || form === 'auto';
  return { ...offered, form, profile, code: hasCode ? code : undefined };
}

/** Lists the view of each client. A registry without a description is served as with `profile: 'client'` and `form: 'auto'`. */
async function viewsOfClients(loaded: LoadedModule): Promise<ClientView[]> {
  const { exposure: own } = loaded;
  const exposure = own ?? createExposure(loaded, loaded.server ? {} : { profile: 'client', form: 'auto' });
  try {
    const views: ClientView[] = [];
    const { clients } = exposure.offers;
    for (const client of clients) {
      const info = exampleOf(client, clients);
      if (!info) continue;
      const request = { ...exposure.complete({}), caller: { client: info }, protocolVersion: '2026-07-28' };
      const tried = exposure.offers.of(info).offers.map(({ form }) => form);
      try {
        views.push({ client, tried, view: await exposure.viewFor(request) });
      } catch (error) {
        if (!isToolfoldError(error)) throw error;
        views.push({ client, problem: error.message });
      }
    }
    return views;
  } finally {
    if (!own) exposure.close();
  }
}

/**
 * Returns an example of a client that is not covered by earlier rows; `undefined` if earlier rows cover all of its
 * clients.
 */
function exampleOf(
  client: KnownClient,
  clients: readonly KnownClient[],
): { readonly name: string; readonly version: string } | undefined {
  const name = client.name.replace(/\*$/, '');
  const names = client.name.endsWith('*') ? [name, `${name}-example`] : [name];
  const examples = names.map((each) => ({ name: each, version: client.since ?? '0' }));
  return examples.find((example) => findClient(clients, example) === client);
}

function assertToolsets(chosen: readonly string[] | undefined, known: readonly string[], file: string): void {
  if (chosen && known.length === 0)
    throw new UsageError(`--toolsets cannot be used: ${file} has no toolsets.`);
  for (const key of chosen ?? []) assertKnown('toolset', key, known);
}

interface KnownToolset {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

function describeGroups({ groups }: View, known: readonly KnownToolset[]): ListedToolset[] {
  return known
    .map(({ key, name, description }) => {
      const group = groups.find((each) => each.key === key);
      return { key, name: name ?? group?.title, description, tools: group?.tools ?? [] };
    })
    .filter(({ tools }) => tools.length > 0);
}

/** Measures the list in each form. An exported Exposure or Toolsets has only one form. */
async function costsOf(
  file: string,
  loaded: LoadedModule,
  profile: Selection['profile'],
): Promise<readonly FormCost[]> {
  if (loaded.exposure ?? loaded.toolsets) return [];
  const surfaces = await surfacesOf(file, loaded, { profile });
  const counter = createTokenCounter();
  const costs: FormCost[] = [];
  for (const surface of surfaces) {
    if ('problem' in surface) {
      costs.push(surface);
      continue;
    }
    const { form, tools } = surface;
    const counts = await runInSlices(eachInSteps(tools, ({ tool }) => countTool(tool, counter)));
    costs.push({ form, tools: tools.length, tokens: counts.reduce((sum, count) => sum + count, 0) });
  }
  return costs;
}

/** Opens one form after the other, because each compiles its views before its first pause. */
async function surfacesOf(file: string, loaded: LoadedModule, selection: Selection): Promise<FormSurface[]> {
  const surfaces: FormSurface[] = [];
  for (const form of forms) {
    surfaces.push(await surfaceOf(file, loaded, { ...selection, form }));
    await yieldToEventLoop();
  }
  return surfaces;
}

async function surfaceOf(
  file: string,
  loaded: LoadedModule,
  selection: Selection & { readonly form: Form },
): Promise<FormSurface> {
  const { form } = selection;
  try {
    const { view, close } = await openSource(file, loaded, selection);
    const tools = await runInSlices(listViewInSteps(view));
    close();
    return { form, tools };
  } catch (error) {
    // Names that are unique in one form may collide in another.
    if (isToolfoldError(error)) return { form, problem: error.message };
    throw error;
  }
}
