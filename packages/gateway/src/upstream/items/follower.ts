import type { ContextValues } from 'toolfold/web';
import type { ResourceDefinition, ToolRegistry } from 'toolfold';
import { ErrToolFailed, ErrUpstreamLost } from 'toolfold/errors';
import type { ReplacedItems } from 'toolfold/internal';
import { canonicalJson } from '@toolfold/schema/internal';
import { digest, internalsOf } from 'toolfold/internal';
import type { ListName } from '../connection.js';
import type { Health } from '../health/health.js';
import type { UpstreamSettings } from '../options.js';
import type { UpstreamLink } from '../reconnect.js';
import type { ListedItems } from './list-items.js';
import { toDefinitions } from '../tools.js';
import type { ForwardCall } from '../tools.js';
import type { FollowOptions } from '../upstream-types.js';
import { isTooDeep, MAX_ITEM_DEPTH } from './listed-item.js';
import type { ForwardRequest } from './listed-item.js';
import { toPrompts } from './prompts.js';
import { toResources } from './resources.js';
import { SkippedItems } from './skipped-items.js';

/** Updates of a resource within this time become one. */
const UPDATE_PAUSE_MS = 50;

interface FollowedServer {
  readonly settings: UpstreamSettings;
  readonly health: Health;
  /** Reads the lists. Calls use the connections of their own contexts. */
  readonly link: UpstreamLink;
  readonly call: ForwardCall;
  readonly request: ForwardRequest;
  /** Takes the connection of a session context until it is released. */
  readonly hold: (
    session: ContextValues,
    signal: AbortSignal,
  ) => Promise<{ readonly item: UpstreamLink; readonly release: () => void }>;
  /** Calls the listener when the server may list other items. Returns a function that removes it. */
  readonly onListChange: (listener: () => void) => () => void;
  readonly onListed: (listed: ListedItems) => void;
}

type Kind = 'tools' | 'prompts' | 'resources';

/** Registers the items of a server in a registry, and keeps them up to date. */
export class Follower {
  readonly #server: FollowedServer;
  readonly #registry: ToolRegistry;
  readonly #options: FollowOptions;
  /** Fingerprints of the registered lists, to detect changes. */
  #registered = new Map<Kind, string>();
  #loading: Promise<void> | undefined;
  /** Whether the lists may have changed while they were read. */
  #isStale = false;
  #isStopped = false;
  /** Whether the author's function decided that nothing of the server is registered. */
  #isWithheld = false;
  readonly #stops: (() => void)[] = [];
  readonly #updated = new Set<string>();
  #update: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(server: FollowedServer, registry: ToolRegistry, options: FollowOptions) {
    this.#server = server;
    this.#registry = registry;
    this.#options = options;
  }

  /** Registers the items. Rejects if that fails, unless the server causes the failure and `wait` is false. */
  async start(): Promise<void> {
    const { prompts = true, resources = true, wait = true } = this.#options;
    const { link, health, onListChange } = this.#server;
    try {
      await this.#load();
    } catch (error) {
      const isOfServer = error instanceof ErrUpstreamLost || error instanceof ErrToolFailed;
      if (wait || !isOfServer) throw error;
      // The link itself reports connection errors. A list that was answered with an error may succeed later.
      if (error instanceof ErrToolFailed) this.#server.settings.onError(error);
      // Clients that connect now should see the prompts and resources that arrive later.
      if (prompts) internalsOf(this.#registry).declareItems('prompts');
      if (resources) internalsOf(this.#registry).declareItems('resources');
    }
    if (this.#isStopped) return;
    this.#stops.push(
      link.follow(() => this.#reload()),
      onListChange(() => this.#reload()),
      health.listen(({ state }) => {
        if (state === 'down') this.#withdraw();
        else if (state === 'up' && this.#registered.size === 0 && !this.#loading) this.#reload();
      }),
    );
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#update);
    clearTimeout(this.#retry);
    for (const stop of this.#stops.splice(0)) stop();
    this.#withdraw();
  }

  #reload(): void {
    if (this.#isStopped) return;
    if (this.#loading) {
      this.#isStale = true;
      return;
    }
    this.#loading = this.#load()
      .catch((error: unknown) => {
        // While the server cannot be reached, its health decides how long its items stay.
        if (!(error instanceof ErrUpstreamLost)) this.#withdraw();
        this.#server.settings.onError(error);
      })
      .finally(() => {
        this.#loading = undefined;
        if (!this.#isStale) return;
        this.#isStale = false;
        this.#reload();
      });
  }

  async #load(): Promise<void> {
    const { prompts = true, resources = true } = this.#options;
    const { link, onListed } = this.#server;
    clearTimeout(this.#retry);
    const listed = await link.listItems({ prompts, resources }).catch((error: unknown) => {
      if (!(error instanceof ErrUpstreamLost)) this.#retryLater();
      throw error;
    });
    if (this.#isStopped) return;
    onListed(listed);
    const fingerprints = new Map<Kind, string>([
      ['tools', fingerprint([listed.tools, listed.features])],
      ['prompts', fingerprint([listed.prompts, listed.features])],
      ['resources', fingerprint([listed.resources, listed.templates, listed.features])],
    ]);
    const changed = (kind: Kind): boolean => fingerprints.get(kind) !== this.#registered.get(kind);
    const tools = changed('tools') ? this.#review(listed) : undefined;
    const isWithheld = changed('tools') ? tools === undefined : this.#isWithheld;
    if (isWithheld) this.#withhold();
    else {
      const isNew = (kind: Kind): boolean => this.#isWithheld || changed(kind);
      this.#replace({ ...(tools ? { tools } : {}), ...this.#convert(listed, isNew) });
    }
    this.#isWithheld = isWithheld;
    this.#registered = fingerprints;
  }

  #review({ tools, features }: ListedItems): ReturnType<NonNullable<FollowOptions['tools']>> {
    const { settings, call } = this.#server;
    const { tools: review = (definitions) => definitions } = this.#options;
    return review(toDefinitions(tools, settings, features, call));
  }

  /** Removes all items, but still declares prompts and resources, so that clients that connect now see those that are allowed later. */
  #withhold(): void {
    for (const kind of ['prompts', 'resources'] as const)
      if (this.#options[kind] !== false && !internalsOf(this.#registry).offers[kind])
        internalsOf(this.#registry).declareItems(kind);
    this.#clear(['tools', 'prompts', 'resources']);
  }

  /** Reads the lists again after a while, because the server answered with an error. */
  #retryLater(): void {
    if (this.#isStopped) return;
    this.#retry = setTimeout(() => this.#reload(), this.#server.settings.healthCheck.everyMs);
    this.#retry.unref();
  }

  #convert(listed: ListedItems, changed: (kind: Kind) => boolean): ReplacedItems {
    const { settings, request: forward } = this.#server;
    const { features, unusable } = listed;
    const { review = (_, entries) => entries } = this.#options;
    const skipped = new SkippedItems(settings);
    const { skip } = skipped;
    const options = { settings, features, skip, forward };
    const isGiven = (kind: 'prompts' | 'resources'): boolean =>
      this.#options[kind] !== false && changed(kind);
    const converted = {
      ...(isGiven('prompts') ? { prompts: toPrompts(review('prompts', listed.prompts), options) } : {}),
      ...(isGiven('resources')
        ? {
            resources: toResources(
              review('resources', listed.resources),
              review('templates', listed.templates),
              {
                ...options,
                subscribe: this.#subscribe,
              },
            ),
          }
        : {}),
    };
    for (const [name, reason] of unusable) skip(listNames[name], reason);
    skipped.assertNone('prompts or resources');
    return converted;
  }

  #replace(items: ReplacedItems & { readonly tools?: readonly unknown[] }): void {
    const { onError } = this.#server.settings;
    for (const conflict of internalsOf(this.#registry).replaceItems(items as never)) onError(conflict);
  }

  #withdraw(): void {
    const kinds = [...this.#registered.keys()];
    this.#registered = new Map();
    if (kinds.length > 0) this.#clear(kinds);
  }

  #clear(kinds: readonly Kind[]): void {
    const { counts } = this.#registry;
    this.#replace(Object.fromEntries(kinds.filter((kind) => counts[kind] > 0).map((kind) => [kind, []])));
  }

  /** All resources share this function, so that a new list does not interrupt their subscriptions. */
  readonly #subscribe: NonNullable<ResourceDefinition['subscribe']> = ({ uri, session }) => {
    const { hold, settings } = this.#server;
    const controller = new AbortController();
    let stop: (() => void) | undefined;
    hold(session, controller.signal).then(
      ({ item, release }) => {
        const unsubscribe = item.subscribe(uri, () => this.#tellUpdated(uri));
        stop = () => {
          unsubscribe();
          release();
        };
        if (controller.signal.aborted) stop();
      },
      (error: unknown) => {
        if (!controller.signal.aborted) settings.onError(error);
      },
    );
    return () => {
      controller.abort();
      stop?.();
    };
  };

  /** Notifies subscribers once for several updates of a resource in a row, because a server may send any number. */
  #tellUpdated(uri: string): void {
    if (this.#isStopped) return;
    this.#updated.add(uri);
    this.#update ??= setTimeout(() => {
      this.#update = undefined;
      const uris = [...this.#updated];
      this.#updated.clear();
      for (const each of uris) this.#registry.notifyResourceUpdated(each);
    }, UPDATE_PAUSE_MS);
    this.#update.unref();
  }
}

const listNames: Readonly<Record<ListName, string>> = {
  tools: 'all tools',
  prompts: 'all prompts',
  resources: 'all resources',
  resourceTemplates: 'all resource templates',
};

/** Fingerprints lists. Items that are nested too deep are not offered, so they count as equal. */
function fingerprint(parts: readonly unknown[]): string {
  const comparable = parts.map((part) =>
    Array.isArray(part)
      ? part.map((item) => (isTooDeep(item, MAX_ITEM_DEPTH) ? null : (item as unknown)))
      : part,
  );
  return digest(canonicalJson(comparable));
}
