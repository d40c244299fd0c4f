import type { AnyRegistry } from '../../registry/any-registry.js';
import type { View } from '../../views/view.js';
import { describeMounted } from '../tool-set-catalog.js';
import type { Toolsets } from '../toolsets.js';
import type { ViewKey } from '../view-key.js';
import { assertPins, createFormView } from './form-view.js';
import type { Form, FormServer } from './form.js';
import { getOrMake } from '../../values/get-or-make.js';
import { loadForm, pinnableTools } from './load-form.js';
import type { NamedForm, NamedFormSettings } from './load-form.js';
import type { OfferedForm } from './offers.js';

interface FormViewsOptions {
  readonly pinned: readonly string[] | undefined;
  readonly optionalPins: boolean;
  readonly settings: NamedFormSettings;
  readonly toolsets: Toolsets | undefined;
  /** Whether callers can reach all tools, so that a setting for an unknown tool is a mistake. */
  readonly offersAll: boolean;
  readonly onError: (error: unknown) => void;
}

interface Part {
  readonly isWhole: boolean;
  /** The view without the selection of the request. Its index serves narrower views too. */
  readonly wider: View | undefined;
}

export type FormViews = ReturnType<typeof createFormViews>;

/** Creates the views of forms that list their own tools, such as search and code. */
export function createFormViews(
  registry: AnyRegistry,
  { pinned: given, optionalPins, settings, toolsets, offersAll, onError }: FormViewsOptions,
) {
  const pinned = Object.freeze([...new Set(given)].toSorted());
  const named = new Map<NamedForm, Form>();
  const closing = new AbortController();
  const server: FormServer = Object.freeze({ registry, onError, closing: closing.signal });
  /** Rejects if the settings of the form are invalid. */
  const load = async (form: OfferedForm): Promise<Form> => {
    if (typeof form !== 'string') return form;
    const create = await loadForm(form);
    return getOrMake(named, form, () => create(settings));
  };
  return {
    load,
    /** The view in which a form shows another view. Pinned tools must exist, unless the view is narrower than the operator's offer. */
    create: async (
      compiled: View,
      { offer, toolsets: keys }: ViewKey,
      { isWhole, wider }: Part,
    ): Promise<View> => {
      // Clients cannot enable toolsets without a session, so they get the search form.
      const form = await load(offer?.listsOwnTools ? offer.own : 'search');
      // Schemas that a form returns as text need not fit a client, so it gets the tools of their authors.
      const view = compiled.authored ?? compiled;
      const shown = {
        view,
        wider: wider?.authored ?? wider ?? view,
        toolsets: toolsets?.describe([], keys) ?? describeMounted(registry),
        isWhole,
        isComplete: offersAll && (isWhole || wider !== undefined),
      };
      const tools = (await form.createTools?.(shown, server)) ?? { listed: [...view.tools.values()] };
      return createFormView(server, view, form, tools, {
        pinned,
        mayMissPins: !isWhole || optionalPins,
        startup: toolsets?.isDynamic ? toolsets.startup : [],
      });
    },
    /** Throws if a view lacks a pinned tool. Tools that forms of an author pin are known only when the form is created. */
    assertPins: (form: OfferedForm, view: View): void => {
      if (optionalPins || typeof form !== 'string') return;
      const pins = pinned.filter((pin) => !pinnableTools[form].includes(pin));
      assertPins(form, view.authored ?? view, pins);
    },
    /** Loads what the first call of a form would otherwise wait for. */
    prepare: async (form: OfferedForm): Promise<void> => (await load(form)).prepare?.(server),
    close: (): void => closing.abort(),
  };
}
