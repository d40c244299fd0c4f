import type { Caller } from '../callers/caller.js';
import { defaultClients, findClient } from './client-table.js';
import type { KnownClient } from './client-table.js';
import { ErrInvalidPolicy } from '../errors.js';
import { descriptionLimits, listRules } from '../profiles/rules/tool-rules.js';
import { DEFAULT_PROFILE } from './policy.js';
import type { ViewPolicy, ViewProfile } from './policy.js';
import type { PendingView } from './view-cache.js';
import type { View } from './view.js';

type Form = 'grouped' | 'flat' | 'search' | 'code';

/** A form and a profile in which a server can list its tools. There is one object for each pair. */
export interface Offer {
  readonly key: string;
  readonly form: Form;
  readonly profile: ViewProfile;
}

/** The offers of a client: the first whose view fits the client, otherwise the last. */
export interface Choice {
  readonly offers: readonly Offer[];
  /** The row of the table that was used; `undefined` if neither the form nor the profile depends on the client. */
  readonly client: KnownClient | undefined;
}

/** Whether a form lists a few fixed tools, which find and call all others. */
export function isSearchForm(form: Form): boolean {
  return form === 'search' || form === 'code';
}

/** The options of a view that decide about its offers. */
interface OfferOptions {
  readonly form?: Form | 'auto' | undefined;
  readonly profile?: ViewProfile | 'client' | undefined;
  readonly clients?: readonly KnownClient[] | undefined;
}

/** The forms that `auto` tries for a client without a form of its own, in this order. */
const FORMS: readonly Form[] = ['grouped', 'flat', 'search'];

/** Chooses form and profile by the client. The number of offers is limited by forms and profiles, not by names of clients. */
export class Offers {
  /** Whether two clients may get different tools. */
  readonly dependsOnClient: boolean;
  /** Whether neither the form nor the profile is chosen by the client. */
  readonly isFixed: boolean;
  /** The first offer of clients that report no name. */
  readonly first: Offer;
  /** One offer for each form that a client may get. */
  readonly ofEachForm: readonly Offer[];
  readonly #anonymous: Choice;
  readonly #form: Form | 'auto';
  readonly #profile: ViewProfile | 'client';
  /** The rows of the table that some client can get. */
  readonly clients: readonly KnownClient[];
  readonly #offers = new Map<string, Offer>();
  readonly #choices = new Map<KnownClient, Choice>();
  /** The limits of a fixed profile. The default profile has none, because it is made for clients with different limits. */
  readonly #fixed: KnownClient | undefined;
  readonly #onMisfit: (error: ErrInvalidPolicy) => void;
  /** The offers and clients of which a misfit was reported. */
  readonly #reported = new Set<string>();

  constructor(
    { form = 'grouped', profile = DEFAULT_PROFILE, clients = [] }: OfferOptions,
    onMisfit: (error: ErrInvalidPolicy) => void,
  ) {
    this.#onMisfit = onMisfit;
    this.#form = form;
    this.#profile = profile;
    this.clients = Object.freeze(reachable([...clients, ...defaultClients]));
    this.isFixed = form !== 'auto' && profile !== 'client';
    this.#fixed = this.isFixed ? limitsOf(profile) : undefined;
    const rows = this.isFixed ? [] : this.clients;
    this.dependsOnClient = new Set(rows.map((row) => this.#signature(row))).size > 1;
    this.#anonymous = this.isFixed
      ? { offers: [this.#offer(form as Form, profile as ViewProfile)], client: undefined }
      : this.#choose(findClient(rows, undefined));
    this.first = this.#anonymous.offers[0] as Offer;
    const forms = new Set([this.first.form, ...rows.flatMap((row) => this.#formsFor(row))]);
    this.ofEachForm = [...forms].map((each) => this.#offer(each, this.first.profile));
  }

  of(client: Caller['client']): Choice {
    return this.dependsOnClient ? this.#choose(findClient(this.clients, client)) : this.#anonymous;
  }

  /** The view of the first offer that suits a client. The last one is used even if it does not, and the operator is told. */
  viewFor(client: Caller['client'], viewIn: (offer: Offer) => PendingView): PendingView {
    const { offers, client: row = this.#fixed } = this.of(client);
    const find = (at: number): PendingView => {
      const offer = offers[at] as Offer;
      const view = viewIn(offer);
      if (!row) return view;
      const judge = (ready: View): PendingView => {
        const misfit = misfitOf(ready, row);
        if (misfit === undefined) return ready;
        if (at + 1 < offers.length) return find(at + 1);
        this.#report(offer, row, misfit);
        return ready;
      };
      return view instanceof Promise ? view.then(judge) : judge(view);
    };
    return find(0);
  }

  /** Reports once that a view does not suit the clients of a fixed profile. Returns the view. */
  judgeFixed(view: View): View {
    const misfit = this.#fixed && misfitOf(view, this.#fixed);
    if (this.#fixed && misfit !== undefined) this.#report(this.first, this.#fixed, misfit);
    return view;
  }

  /** Reports once that a client gets tools that do not suit it. */
  #report(offer: Offer, row: KnownClient, misfit: string): void {
    const { name } = row;
    const key = `${offer.key} ${name}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const subject = row === this.#fixed ? `A client of the profile "${name}"` : `The client "${name}"`;
    this.#onMisfit(
      new ErrInvalidPolicy(`${subject} gets ${misfit}.`, {
        hint: "Write form: 'auto', or offer fewer tools.",
        details: { client: name, form: offer.form, profile: offer.profile },
      }),
    );
  }

  #choose(row: KnownClient): Choice {
    let choice = this.#choices.get(row);
    if (!choice) {
      const profile = this.#profileFor(row);
      const offers = this.#formsFor(row).map((form) => this.#offer(form, profile));
      this.#choices.set(row, (choice = Object.freeze({ offers: Object.freeze(offers), client: row })));
    }
    return choice;
  }

  #profileFor(row: KnownClient): ViewProfile {
    return this.#profile === 'client' ? row.profile : this.#profile;
  }

  #formsFor(row: KnownClient): readonly Form[] {
    if (this.#form !== 'auto') return [this.#form];
    if (row.form) return [row.form];
    return row.maxTools === undefined ? ['grouped'] : FORMS;
  }

  /** Equal for rows with the same choice. */
  #signature(row: KnownClient): string {
    const limit = this.#form === 'auto' ? row.maxTools : undefined;
    return JSON.stringify([this.#profileFor(row), this.#formsFor(row), limit]);
  }

  #offer(form: Form, profile: ViewProfile): Offer {
    const key = `${form} ${profile}`;
    let offer = this.#offers.get(key);
    if (!offer) this.#offers.set(key, (offer = Object.freeze({ key, form, profile })));
    return offer;
  }
}

/** The part of a policy that an offer decides. */
export type OfferedPolicy = Pick<ViewPolicy, 'form' | 'profile'>;

/** The policy of an offer. The search and the code form search grouped tools. */
export function offeredPolicy({ form, profile }: Offer): OfferedPolicy {
  return { form: form === 'flat' ? 'flat' : 'grouped', profile };
}

/** The rows that some client can get: none after the first that fits every client. */
function reachable(rows: readonly KnownClient[]): KnownClient[] {
  const last = rows.findIndex(({ name, since }) => name === '*' && since === undefined);
  return rows.slice(0, last + 1);
}

const shortened = new WeakMap<View, boolean>();

/** Why a view does not suit a client; `undefined` if it does. */
export function misfitOf(
  view: View,
  { maxTools = Number.POSITIVE_INFINITY }: KnownClient,
): string | undefined {
  if (view.tools.size > maxTools) return `${view.tools.size} tools, and it offers ${maxTools} to a model`;
  let isShortened = shortened.get(view);
  if (isShortened === undefined) shortened.set(view, (isShortened = hasShortened(view)));
  return isShortened ? 'descriptions of grouped tools that are too long for it' : undefined;
}

/** Whether the profile shortens the description of a grouped tool, which then no longer describes all of its actions. */
function hasShortened({ tools, policy: { profile = DEFAULT_PROFILE } }: View): boolean {
  const limit = profile === 'none' ? undefined : descriptionLimits[profile];
  if (limit === undefined) return false;
  return [...tools.values()].some(
    ({ discriminator, tool }) => discriminator !== undefined && (tool.description ?? '').length > limit,
  );
}

/** The limits of the clients for which a profile is made. */
function limitsOf(profile: ViewProfile | 'client'): KnownClient | undefined {
  if (profile === 'none' || profile === 'client' || profile === DEFAULT_PROFILE) return undefined;
  const rule = listRules.find(({ profiles }) => profiles.includes(profile));
  return { name: profile, profile, maxTools: rule?.maxTools };
}
