import { LRUCache } from 'lru-cache';
import type { Caller } from '../../callers/caller.js';
import { defaultClients, findClient } from '../../views/client-table.js';
import type { KnownClient } from '../../views/client-table.js';
import { ErrInvalidPolicy } from '@toolfold/schema/errors';
import { listRules } from '@toolfold/profiles/internal';
import type { ViewPolicy, ViewProfile } from '../../views/policy.js';
import type { View } from '../../views/view.js';
import type { OfferedView } from '../exposure-policy.js';
import { flatForm, groupedForm } from './form.js';
import type { Form } from './form.js';
import type { NamedForm } from './load-form.js';
import { getOrMake } from '../../values/get-or-make.js';

type FormName = 'grouped' | 'flat' | NamedForm;

/** A form, or the name of one whose package is loaded later. */
export type OfferedForm = Form | NamedForm;

function toForm(form: FormName | Form): OfferedForm {
  if (form === 'grouped') return groupedForm;
  return form === 'flat' ? flatForm : form;
}

/** A form and a profile in which a server can list its tools. */
export interface Offer {
  /** Equal for equal pairs of form and profile. */
  readonly key: string;
  /** The name of the form. A form of the author may have another name. */
  readonly form: FormName;
  readonly own: OfferedForm;
  readonly profile: ViewProfile;
  /** Whether clients list tools of the form instead of the tools of a view. */
  readonly listsOwnTools: boolean;
}

/** The offers of a client: the first whose view fits the client, otherwise the last. */
export interface Choice {
  readonly offers: readonly Offer[];
  /** The row of the table that was used; `undefined` if neither the form nor the profile depends on the client. */
  readonly client: KnownClient | undefined;
}

/** Whether a form lists a few fixed tools, which find and call all others. */
export function isSearchForm(form: string | Form): form is NamedForm {
  return form === 'search' || form === 'code';
}

/** Maximum number of characters of a client's name and version in the cache. */
const MAX_KEY = 200;

/** The forms that `auto` tries, in this order, for a client without a preferred form. */
const FORMS: readonly OfferedForm[] = [groupedForm, flatForm, 'search'];

/** Chooses form and profile by the client. The number of offers is limited by forms and profiles, not by names of clients. */
export class Offers {
  /** Whether two clients may get different tools. */
  readonly dependsOnClient: boolean;
  /** Whether neither the form nor the profile is chosen by the client. */
  readonly isFixed: boolean;
  /** Whether all clients get the same form, which the operator chose. */
  readonly hasOneForm: boolean;
  /** The first offer of clients that report no name. */
  readonly first: Offer;
  /** One offer for each form that a client may get. */
  readonly ofEachForm: readonly Offer[];
  readonly #anonymous: Choice;
  readonly #form: OfferedForm | 'auto';
  readonly #profile: ViewProfile | 'client';
  /** The rows of the table that some client can get. */
  readonly clients: readonly KnownClient[];
  readonly #choices = new Map<KnownClient, Choice>();
  /** The choices of clients by name and version, because every call needs one and would compare all rows. */
  readonly #known = new LRUCache<string, Choice>({ max: 1_000 });
  readonly #onMisfit: (error: ErrInvalidPolicy) => void;
  /** The offers and clients of which a misfit was reported. */
  readonly #reported = new Set<string>();

  constructor(
    { form = 'grouped', profile = 'client', clients = [] }: Pick<OfferedView, 'form' | 'profile' | 'clients'>,
    onMisfit: (error: ErrInvalidPolicy) => void,
  ) {
    this.#onMisfit = onMisfit;
    this.#form = form === 'auto' ? form : toForm(form);
    this.#profile = profile;
    this.clients = Object.freeze(reachable([...clients, ...defaultClients]));
    this.hasOneForm = form !== 'auto';
    this.isFixed = this.hasOneForm && profile !== 'client';
    const rows = this.isFixed ? [] : this.clients;
    this.dependsOnClient = new Set(rows.map((row) => this.#signature(row))).size > 1;
    this.#anonymous = this.isFixed
      ? { offers: [this.#offer(this.#form as OfferedForm, profile as ViewProfile)], client: undefined }
      : this.#choose(findClient(rows, undefined));
    this.first = this.#anonymous.offers[0] as Offer;
    const forms = new Set([this.first.own, ...rows.flatMap((row) => this.#formsFor(row))]);
    this.ofEachForm = [...forms].map((each) => this.#offer(each, this.first.profile));
  }

  of(client: Caller['client']): Choice {
    if (!this.dependsOnClient || !client) return this.#anonymous;
    const key = `${client.name}\n${client.version}`;
    const known = this.#known.get(key);
    if (known) return known;
    const choice = this.#choose(findClient(this.clients, client));
    // A client may report names of a megabyte, which the cache must not hold.
    if (key.length <= MAX_KEY) this.#known.set(key, choice);
    return choice;
  }

  /**
   * Whether a view suits the client. The last offer is accepted even if it does not, and the operator is warned once.
   */
  accepts(view: View, offer: Offer, { offers, client }: Choice): boolean {
    const limits = this.hasOneForm ? limitsOf(offer.profile) : client;
    const { size } = view.tools;
    if (limits?.maxTools === undefined || size <= limits.maxTools) return true;
    const isLast = offer === offers.at(-1);
    if (isLast) this.#report(offer, limits, `${size} tools, and it offers ${limits.maxTools} to a model`);
    return isLast;
  }

  #report({ key, form, profile }: Offer, { name }: KnownClient, misfit: string): void {
    if (this.#reported.has(`${key} ${name}`)) return;
    this.#reported.add(`${key} ${name}`);
    const subject = this.hasOneForm ? `A client of the profile "${name}"` : `The client "${name}"`;
    this.#onMisfit(
      new ErrInvalidPolicy(`${subject} gets ${misfit}.`, {
        hint: "Write form: 'auto', or offer fewer tools.",
        details: { client: name, form, profile },
      }),
    );
  }

  #choose(row: KnownClient): Choice {
    return getOrMake(this.#choices, row, () => {
      const profile = this.#profileFor(row);
      const offers = this.#formsFor(row).map((form) => this.#offer(form, profile));
      return Object.freeze({ offers: Object.freeze(offers), client: row });
    });
  }

  #profileFor(row: KnownClient): ViewProfile {
    return this.#profile === 'client' ? row.profile : this.#profile;
  }

  #formsFor(row: KnownClient): readonly OfferedForm[] {
    if (this.#form !== 'auto') return [this.#form];
    if (row.form) return [toForm(row.form)];
    return row.maxTools === undefined ? [groupedForm] : FORMS;
  }

  /** Equal for rows with the same choice. */
  #signature(row: KnownClient): string {
    const limit = this.#form === 'auto' ? row.maxTools : undefined;
    return JSON.stringify([this.#profileFor(row), this.#formsFor(row), limit]);
  }

  #offer(own: OfferedForm, profile: ViewProfile): Offer {
    const form = (typeof own === 'string' ? own : own.name) as FormName;
    const listsOwnTools = typeof own === 'string' || own.createTools !== undefined;
    return Object.freeze({ key: `${form} ${profile}`, form, own, profile, listsOwnTools });
  }
}

/** The part of a policy that an offer decides. */
export type OfferedPolicy = Pick<ViewPolicy, 'form' | 'profile'>;

/** The policy of an offer. The search and the code form search grouped tools. */
export function offeredPolicy({ own, profile }: Offer): OfferedPolicy {
  return { form: typeof own === 'string' ? 'grouped' : (own.base ?? 'grouped'), profile };
}

/** The rows that some client can get: none after the first that fits every client. */
function reachable(rows: readonly KnownClient[]): KnownClient[] {
  const last = rows.findIndex(({ name, since }) => name === '*' && since === undefined);
  return rows.slice(0, last + 1);
}

/** The limits of the clients for which a profile is made. */
function limitsOf(profile: ViewProfile): KnownClient | undefined {
  // `portable` is made for clients with different limits.
  if (profile === 'none' || profile === 'portable') return undefined;
  const rule = listRules.find(({ profiles }) => profiles.includes(profile));
  return { name: profile, profile, maxTools: rule?.maxTools };
}
