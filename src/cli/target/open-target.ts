import type { KnownClient, ToolRegistry, View } from '../../index.js';
import { findClient } from '../../views/client-table.js';
import { isSearchForm } from '../../views/offers.js';
import type { OfferedView, ToolsetConfig } from '../../web.js';
import { Exposure } from '../../web.js';
import { CommandError, UsageError } from '../terminal/terminal.js';
import { isToolfoldError } from './explain-failure.js';
import { estimateTokens, listView } from './list-tools.js';
import { loadModule } from './load-module.js';
import type { LoadedModule } from './load-module.js';
import { forms } from './opened-target.js';
import type {
  CallHooks,
  ClientView,
  Form,
  FormCost,
  FormSurface,
  ListedToolset,
  OpenOptions,
  OpenTarget,
  Selection,
} from './opened-target.js';
import { assertKnown } from './find-tool.js';
import { withDeadline } from '../terminal/deadline.js';
import { openServer } from './open-server.js';
import type { Target } from './read-target.js';
import { isSpecification, loadSpecification } from './specification.js';
import { isSavedList, openSavedList } from './saved-list.js';
import { readSearchedActions } from './searched-actions.js';

type RequestOptions = Parameters<Exposure['viewFor']>[0];
type RequestSelection = NonNullable<RequestOptions['selection']>;
type AskClient = NonNullable<RequestOptions['ask']>;

type ModuleOptions = Selection & Pick<OpenOptions, 'signal' | 'terminal'>;

/** Opens a file, a saved list of tools, a URL or a command. The caller must close the result. */
export function openTarget(target: Target, options: OpenOptions): Promise<OpenTarget> {
  if (!('file' in target)) return openServer(target, options);
  const { file } = target;
  if (isSavedList(file)) return openSavedList(file, options);
  const { signal, timeoutMs, terminal } = options;
  const message = `${file} was not loaded within ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  // A file may never finish loading, for example because it awaits a promise that does not settle.
  const loading = withDeadline({ timeoutMs, signal, message }, (deadline) =>
    openModule(file, { ...options, signal: deadline.signal }),
  );
  return terminal.withNotice(`loading ${file}`, loading);
}

/** Loads a file into this process, without serving it. */
async function openModule(file: string, selection: ModuleOptions): Promise<OpenTarget> {
  const loaded = isSpecification(file)
    ? await loadSpecification(file, selection.terminal)
    : await loadModule(file, selection);
  const { registry } = loaded;
  const { view, narrow, request, toolsets, close } = await openSource(file, loaded, selection).catch(
    (error: unknown) => {
      loaded.release();
      throw error;
    },
  );
  const { profile = 'portable' } = view.policy;
  return {
    kind: 'module',
    server: { name: registry.name, version: registry.version, instructions: registry.instructions },
    found: loaded.found,
    form: loaded.exposure || loaded.toolsets ? undefined : (selection.form ?? 'grouped'),
    isSearch: isSearchForm(loaded.exposure?.offers.first.form ?? selection.form ?? 'grouped'),
    profile: profile === 'none' ? undefined : profile,
    tools: listView(view, registry.outputBudget),
    toolsets,
    listOthers: async () => ({
      prompts: registry.listPrompts(),
      resources: registry.listResources(),
      templates: registry.listResourceTemplates(),
    }),
    clientViews: loaded.toolsets ? undefined : () => viewsOfClients(loaded),
    searchedActions: () => readSearchedActions(loaded),
    costs: () => costsOf(file, loaded, selection.profile),
    surfaces:
      loaded.exposure || loaded.toolsets
        ? undefined
        : () => Promise.all(forms.map((form) => surfaceOf(file, loaded, { ...selection, form }))),
    listWithout: async (tool, action) =>
      (await narrow({ tools: [tool], excludeTools: [action] })).listTools()[0],
    call: (call, hooks) => registry.executeTool({ ...request, ...call, ...toOptions(hooks) }, view),
    close: async () => {
      loaded.release();
      close();
    },
  };
}

/** The request options of a call whose caller is the person at the terminal. */
function toOptions({ signal, scopes, onProgress, onLog, ask, onFault }: CallHooks): RequestOptions {
  const answer: AskClient = async (questions) => {
    const answers: Record<string, unknown> = {};
    for (const [key, { method, params }] of Object.entries(questions)) {
      if (method !== 'elicitation/create')
        throw new CommandError(`The tool sent a ${method} request, which the command line cannot answer.`);
      answers[key] = await ask(params);
    }
    return answers;
  };
  return {
    signal,
    caller: {
      capabilities: { elicitation: { form: {}, url: {} } },
      ...(scopes.length > 0 ? { auth: { scopes } } : {}),
    },
    progress: async (progress, total, message) => onProgress({ progress, total, message }),
    log: async (level, data, logger) => onLog({ level, data, logger }),
    ask: answer,
    onFault: (error) => onFault?.(error),
  };
}

interface Source {
  readonly view: View;
  /** Makes a view of some tools. */
  readonly narrow: (selection: RequestSelection) => Promise<View>;
  readonly request: RequestOptions;
  readonly toolsets: readonly ListedToolset[];
  readonly close: () => void;
}

/** Opens the view of a module: everything that can be reached, or the chosen toolsets. */
async function openSource(file: string, loaded: LoadedModule, selection: Selection): Promise<Source> {
  const { registry, exposure: own, toolsets, config } = loaded;
  const { form, code, profile, toolsets: chosen, readOnly, isAuthored = false } = selection;
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
    return { view, narrow, request: { session }, toolsets: describeGroups(view, known), close: () => {} };
  }
  const exposure = own ?? createExposure(registry, { form, profile, code }, config);
  const request = exposure.complete({});
  const reachable = exposure.hasToolsets ? exposure.reachableFor(request) : [];
  assertToolsets(chosen, reachable, file);
  const keys = chosen ?? reachable;
  const isSearch = form !== undefined && isSearchForm(form);
  const narrow = async (some: RequestSelection): Promise<View> => {
    const part = { ...narrowing, ...(isSearch && chosen ? { toolsets: chosen } : {}), ...some };
    const wanted = { ...request, selection: part };
    return listed(await (isSearch ? exposure.viewFor(wanted) : exposure.toolsOf(keys, wanted)));
  };
  const view = await narrow({});
  const catalog = keys.map((key) => ({ key, ...config?.catalog[key] }));
  return {
    view,
    narrow,
    request,
    toolsets: isSearch ? [] : describeGroups(view, catalog),
    close: () => {
      if (!own) exposure.close();
    },
  };
}

function createExposure(
  registry: ToolRegistry,
  view: OfferedView,
  config: ToolsetConfig | undefined,
): Exposure {
  return new Exposure(registry, { view, ...(config ? { toolsets: config } : {}) });
}

/** The view of each client. A file without an Exposure is served as with `profile: 'client'` and `form: 'auto'`. */
async function viewsOfClients({ registry, exposure: own, config }: LoadedModule): Promise<ClientView[]> {
  const exposure = own ?? createExposure(registry, { profile: 'client', form: 'auto' }, config);
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

/** A client that gets a row of the table; `undefined` if earlier rows fit all of its clients. */
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
    throw new UsageError(
      `--toolsets cannot be used: ${file} has no toolsets. Export a ToolsetConfig beside the registry.`,
    );
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

/** The cost of the whole list in each form. An exported Exposure or Toolsets has only one form. */
async function costsOf(
  file: string,
  loaded: LoadedModule,
  profile: Selection['profile'],
): Promise<readonly FormCost[]> {
  if (loaded.exposure ?? loaded.toolsets) return [];
  const surfaces = await Promise.all(forms.map((form) => surfaceOf(file, loaded, { form, profile })));
  return surfaces.map((surface) => {
    if ('problem' in surface) return surface;
    const { form, tools } = surface;
    return {
      form,
      tools: tools.length,
      tokens: tools.reduce((sum, { tool }) => sum + estimateTokens(tool), 0),
    };
  });
}

async function surfaceOf(
  file: string,
  loaded: LoadedModule,
  selection: Selection & { readonly form: Form },
): Promise<FormSurface> {
  const { form } = selection;
  try {
    const { view, close } = await openSource(file, loaded, selection);
    const tools = listView(view);
    close();
    return { form, tools };
  } catch (error) {
    // Names that are unique in one form may collide in another.
    if (isToolfoldError(error)) return { form, problem: error.message };
    throw error;
  }
}
