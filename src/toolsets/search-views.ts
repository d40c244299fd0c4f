import { loadCode } from '../code/form/load-code.js';
import type { CodeSettings } from '../code/form/code-settings.js';
import type { Sandbox } from '../code/sandbox/sandbox.js';
import type { RequestOptions } from '../engine/request.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { createSearchView, pinsIn, searchToolNames } from '../search/form/search-form.js';
import type { SearchSettings } from '../search/form/search-settings.js';
import type { Offer } from '../views/offers.js';
import type { PendingView } from '../views/view-cache.js';
import type { View } from '../views/view.js';
import { describeMounted } from './registry-views.js';
import type { Toolsets } from './toolsets.js';

interface SearchViewsOptions {
  readonly pinned: readonly string[] | undefined;
  /** Whether pinned tools may be missing. */
  readonly optionalPins: boolean;
  readonly search: SearchSettings | undefined;
  readonly code: CodeSettings | undefined;
  readonly toolsets: Toolsets | undefined;
  /** The view without the selection of a request, if it is cached. Its index serves narrower views too. */
  readonly widerFor: (request: RequestOptions, offer: Offer) => View | undefined;
  /** Whether callers can reach all tools, so that a setting for an unknown tool is a mistake. */
  readonly offersAll: boolean;
  readonly onError: (error: unknown) => void;
}

/** The part of the operator's offer that a view holds. */
interface Part {
  /** Whether nothing narrows the view. */
  readonly isWhole: boolean;
  /** The toolsets of the view. */
  readonly keys?: readonly string[];
}

type Code = Awaited<ReturnType<typeof loadCode>>;

/** The code form before it is loaded. */
const unloaded = { place: 'The code form', createTools: () => ({ listed: [] }) };

/** Wraps views into the search form or the code form. */
export class SearchViews {
  readonly #registry: AnyRegistry;
  readonly #options: SearchViewsOptions;
  readonly #pinned: readonly string[];
  /** The sandbox that the server shares with others of its process. */
  #shared: Sandbox | undefined;
  #isClosed = false;

  constructor(registry: AnyRegistry, options: SearchViewsOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#pinned = Object.freeze([...new Set(options.pinned)].toSorted());
  }

  /** Returns a promise until the code form is loaded. Pinned tools must exist, unless the view is narrower than the operator's offer. */
  wrap(inner: View, offer: Offer, request: RequestOptions, { isWhole, keys = [] }: Part): PendingView {
    const { search: settings, toolsets, widerFor, offersAll, optionalPins, onError } = this.#options;
    const wider = widerFor(request, offer);
    const startup = toolsets?.isDynamic ? toolsets.startup : [];
    const isCode = offer.form === 'code';
    // The code form has the tools of the search form, and lists them if they are pinned.
    const isOwn = (name: string): boolean => isCode && searchToolNames.has(name);
    const options = {
      toolsets: toolsets?.describe([], keys) ?? describeMounted(this.#registry),
      // The search finds tools by the names of their authors.
      pinned: pinsIn(
        inner.authored ?? inner,
        isWhole && !optionalPins,
        this.#pinned.filter((name) => !isOwn(name)),
        startup,
        isCode ? 'code' : 'search',
      ),
      settings,
      wider,
      // Narrowed views are not prepared, because a caller could list many of them.
      isPrepared: isWhole,
      onError: offersAll && (isWhole || wider) ? onError : undefined,
    };
    if (!isCode) return createSearchView(this.#registry, inner, options);
    const code = loadCode();
    const pinned = [...this.#pinned.filter(isOwn), ...options.pinned];
    const make = (loaded: Code): View =>
      loaded.createCodeView(this.#registry, inner, {
        ...options,
        pinned,
        code: { ...this.#options.code, sandbox: this.#sandbox(loaded) },
      });
    if (!(code instanceof Promise)) return make(code);
    // An invalid pin throws here, so that it is reported when the server starts.
    if (isWhole) createSearchView(this.#registry, inner, options, unloaded);
    return code.then(make);
  }

  /** Loads the sandbox, so that the first run of code need not wait for it. */
  async prepare(): Promise<void> {
    await this.#sandbox(await loadCode()).prepare?.();
  }

  /** Closes the shared sandbox. The operator closes their own. */
  close(): void {
    this.#isClosed = true;
    this.#shared?.close().catch(this.#options.onError);
  }

  #sandbox({ shareSandbox }: Code): Sandbox {
    const own = this.#options.code?.sandbox;
    if (own) return own;
    if (!this.#shared) {
      this.#shared = shareSandbox();
      if (this.#isClosed) this.close();
    }
    return this.#shared;
  }
}
