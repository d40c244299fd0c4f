import { createHmac } from '#crypto';
import { callerKey, tenantKey } from '../../callers/caller-key.js';
import { ErrInvalidOptions, ErrOverloaded } from '../../errors.js';
import { assertOptions, count, oneOf } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import type {
  AnsweredSearch,
  LearnedSelection,
  LearnedSummary,
  LearnedTenant,
  LearnedTool,
  Learner,
  SearchLearning,
  SearchLearningOptions,
} from '../../stores/search-learning.js';
import { namedTenant } from './learner.js';
import { addCredit, combine, FADING, strengthsOf, withoutFaded } from './links.js';
import type { Link, LinkRules } from './links.js';
import type { LearningTable, TableChange, TableLimits } from './learning-table.js';
import { addSearches, creditCall, MAX_WORDS, WINDOW_MS } from './recent-searches.js';
import type { RecentSearch } from './recent-searches.js';

export const learningRules: Rules<keyof SearchLearningOptions> = {
  scope: oneOf('tenant', 'shared'),
  halfLifeMs: count,
  minCallers: count,
  maxWords: count,
  maxTenants: count,
};

/** The storage of what is learned. */
export interface LearningBackend {
  /** The key of all digests. */
  readonly secret: Uint8Array;
  now(): number;
  createTable(kind: 'links' | 'searches', limits: TableLimits): LearningTable;
}

const DAY_MS = 24 * 60 * 60_000;
/** The id of the only tenant if all callers share their links. */
const SHARED = 'shared';
/** The prefix of the id of a caller that is its own tenant. */
const OWN = 'own.';
/** Maximum number of conversations whose searches are remembered: of a tenant, and of all callers if they share their links. */
const MAX_CONVERSATIONS = 100;
const MAX_SHARED_CONVERSATIONS = 2_000;
/** How often a change is tried when other processes change the same entries. After that, the credit is dropped. */
const MAX_TRIES = 10;
/** Maximum number of unfinished writes. A slow store must not fill the memory. */
const MAX_WRITING = 1_000;

/** Keeps links and recent searches in two tables. Their keys are digests, and their texts hold digests and addresses. */
export class TableLearning implements SearchLearning {
  readonly #backend: LearningBackend;
  readonly #links: LearningTable;
  readonly #searches: LearningTable;
  readonly #rules: LinkRules;
  /** The rules for a caller that is its own tenant, and can harm nobody else. */
  readonly #ownRules: LinkRules;
  readonly #isShared: boolean;
  /** The last write of each conversation, because a search must be noted before the call that follows it. */
  readonly #writing = new Map<string, Promise<void>>();
  #unfinished = 0;

  constructor(place: string, backend: LearningBackend, options: SearchLearningOptions) {
    assertOptions(place, options, learningRules);
    const { scope = 'tenant', halfLifeMs = 30 * DAY_MS, minCallers = 3 } = options;
    const { maxWords = 1_000, maxTenants = 200 } = options;
    this.#backend = backend;
    this.#isShared = scope === 'shared';
    this.#rules = { halfLifeMs, minCallers };
    this.#ownRules = { halfLifeMs, minCallers: 1 };
    const ttlMs = FADING * halfLifeMs;
    this.#links = backend.createTable('links', { maxEntries: maxWords, maxTenants, ttlMs });
    const maxEntries = this.#isShared ? MAX_SHARED_CONVERSATIONS : MAX_CONVERSATIONS;
    this.#searches = backend.createTable('searches', { maxEntries, maxTenants, ttlMs: WINDOW_MS });
  }

  async recall(
    learner: Learner,
    words: readonly string[],
    isVisible: (address: string) => boolean,
  ): Promise<ReadonlyMap<string, number>> {
    const tenant = this.#tenantOf(learner);
    if (tenant === undefined || words.length === 0) return new Map();
    const keys = this.#wordKeys(tenant, words);
    const now = this.#backend.now();
    const texts = await this.#links.read(tenant, keys);
    const links = texts.map((text) => readLinks(text).filter(({ address }) => isVisible(address)));
    return combine(links, now, this.#rulesOf(tenant));
  }

  async noteSearch(learner: Learner, searches: readonly AnsweredSearch[]): Promise<void> {
    const tenant = this.#tenantOf(learner);
    const hashed = searches
      .map(({ words, shown }) => ({
        words: tenant === undefined ? [] : this.#wordKeys(tenant, words),
        shown,
      }))
      .filter(({ words }) => words.length > 0);
    if (tenant === undefined || hashed.length === 0) return;
    const conversation = this.#digest('conversation', learner.conversation);
    await this.#inOrder(`${tenant} ${conversation}`, () =>
      this.#changeSearches(tenant, conversation, (recent, now) => addSearches(recent, hashed, now)),
    );
  }

  async noteCall(learner: Learner, address: string): Promise<void> {
    const tenant = this.#tenantOf(learner);
    if (tenant === undefined) return;
    const conversation = this.#digest('conversation', learner.conversation);
    await this.#inOrder(`${tenant} ${conversation}`, async () => {
      let credited: ReturnType<typeof creditCall> | undefined;
      const isChanged = await this.#changeSearches(tenant, conversation, (recent, now) => {
        credited = creditCall(recent, address, now);
        return credited.credits.length > 0 ? credited.recent : undefined;
      });
      if (!isChanged || !credited) return;
      const caller = this.#digest('caller', tenant, learner.caller).slice(0, 12);
      const credits = credited.credits.flatMap(({ words, credit }) =>
        words.map((word) => ({ word, contribution: { caller, credit, at: this.#now() } })),
      );
      await this.#changeLinks(tenant, [...new Set(credits.map(({ word }) => word))], (word, links) =>
        credits
          .filter((each) => each.word === word)
          .reduce(
            (all, { contribution }) => addCredit(all, address, contribution, this.#rulesOf(tenant)),
            links,
          ),
      );
    });
  }

  async inspect(selection: LearnedSelection = {}): Promise<LearnedSummary> {
    const tenants: LearnedTenant[] = [];
    const tools = new Map<string, LearnedTool>();
    const now = this.#now();
    for (const tenant of await this.#select(selection)) {
      const rules = this.#rulesOf(tenant);
      let [words, links] = [0, 0];
      for (const text of (await this.#links.entries(tenant)).values()) {
        const left = withoutFaded(readLinks(text), now, rules);
        const selected = strengthsOf(left, now, rules).filter(
          ({ address }) => selection.address === undefined || selection.address === address,
        );
        if (selected.length > 0) words += 1;
        links += selected.length;
        for (const { address, strength } of selected) {
          const before = tools.get(address) ?? { links: 0, strength: 0 };
          const strongest = Math.max(before.strength, strength);
          tools.set(address, { address, links: before.links + 1, strength: strongest });
        }
      }
      if (links > 0) tenants.push({ tenant, words, links });
    }
    return {
      links: tenants.reduce((sum, { links }) => sum + links, 0),
      tenants,
      tools: [...tools.values()].toSorted(
        (one, other) => other.strength - one.strength || (one.address < other.address ? -1 : 1),
      ),
    };
  }

  async erase(selection: LearnedSelection = {}): Promise<number> {
    const { address } = selection;
    let erased = 0;
    // A note that is being written would bring its links back.
    await Promise.allSettled(this.#writing.values());
    for (const tenant of await this.#select(selection)) {
      if (address === undefined) {
        erased += (await this.inspect({ tenant })).links;
        await Promise.all([this.#links.delete(tenant), this.#searches.delete(tenant)]);
      } else erased += await this.#eraseTool(tenant, address);
    }
    return erased;
  }

  async #eraseTool(tenant: string, address: string): Promise<number> {
    const isOther = (each: string): boolean => each !== address;
    for (const [conversation, text] of await this.#searches.entries(tenant)) {
      if (!readSearches(text).some(({ shown }) => shown.includes(address))) continue;
      await this.#changeSearches(tenant, conversation, (recent) =>
        recent.map((search) => ({ ...search, shown: search.shown.filter(isOther) })),
      );
    }
    let erased = 0;
    for (const [word, text] of await this.#links.entries(tenant)) {
      if (readLinks(text).every((link) => isOther(link.address))) continue;
      const isErased = await this.#changeLinks(tenant, [word], (_, links) =>
        links.filter((link) => isOther(link.address)),
      );
      if (!isErased)
        throw new ErrOverloaded('Links changed while they were erased.', { hint: 'Erase them again.' });
      erased += 1;
    }
    return erased;
  }

  /** The ids of the selected tenants. */
  async #select({ tenant }: LearnedSelection): Promise<readonly string[]> {
    const [linked, searched] = await Promise.all([this.#links.tenants(), this.#searches.tenants()]);
    const known = new Set([...linked, ...searched]);
    if (tenant === undefined) return [...known];
    if (typeof tenant === 'string')
      return [known.has(tenant) ? tenant : this.#idOf(namedTenant(tenant), false)];
    const key = tenantKey(tenant);
    if (key === undefined)
      throw new ErrInvalidOptions('tenant must be text, or a caller with a verified identity.', {
        hint: 'Anonymous callers have no tenant, so nothing is learned from them unless links are shared.',
      });
    return [this.#idOf(key, key === callerKey(tenant))];
  }

  /** The id under which the links of a learner are stored; `undefined` if nothing may be learned from it. */
  #tenantOf({ tenant, caller }: Learner): string | undefined {
    if (this.#isShared) return SHARED;
    return tenant === undefined ? undefined : this.#idOf(tenant, tenant === caller);
  }

  #idOf(tenant: string, isOwn: boolean): string {
    return `${isOwn ? OWN : ''}${this.#digest('tenant', tenant)}`;
  }

  #rulesOf(tenant: string): LinkRules {
    return tenant.startsWith(OWN) ? this.#ownRules : this.#rules;
  }

  /** A word has another digest for each tenant, so that tenants cannot be compared. */
  #wordKeys(tenant: string, words: readonly string[]): string[] {
    return [...new Set(words)].slice(0, MAX_WORDS).map((word) => this.#digest('word', tenant, word));
  }

  #digest(...parts: readonly string[]): string {
    const hmac = createHmac('sha256', this.#backend.secret).update(JSON.stringify(parts));
    return hmac.digest('base64url').slice(0, 22);
  }

  #now(): number {
    return Math.round(this.#backend.now());
  }

  async #inOrder(key: string, write: () => Promise<unknown>): Promise<void> {
    if (this.#unfinished >= MAX_WRITING) return;
    this.#unfinished += 1;
    const writing = (this.#writing.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => void (await write()));
    this.#writing.set(key, writing);
    try {
      await writing;
    } finally {
      this.#unfinished -= 1;
      if (this.#writing.get(key) === writing) this.#writing.delete(key);
    }
  }

  /** Changes the searches of a conversation, unless `derive` returns `undefined`. Resolves to whether they were changed. */
  async #changeSearches(
    tenant: string,
    conversation: string,
    derive: (recent: readonly RecentSearch[], now: number) => readonly RecentSearch[] | undefined,
  ): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await waitAtRandom(tries);
      const [expected] = await this.#searches.read(tenant, [conversation]);
      const derived = derive(readSearches(expected), this.#now());
      if (!derived) return false;
      const text = derived.length > 0 ? writeSearches(derived) : undefined;
      if (await this.#searches.exchange(tenant, [{ key: conversation, expected, text }])) return true;
    }
    return false;
  }

  async #changeLinks(
    tenant: string,
    words: readonly string[],
    derive: (word: string, links: readonly Link[]) => readonly Link[],
  ): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await waitAtRandom(tries);
      const texts = await this.#links.read(tenant, words);
      const changes = words.map((key, at): TableChange => {
        const expected = texts[at];
        const links = derive(key, withoutFaded(readLinks(expected), this.#now(), this.#rules));
        return { key, expected, text: links.length > 0 ? writeLinks(links) : undefined };
      });
      if (await this.#links.exchange(tenant, changes)) return true;
    }
    return false;
  }
}

/** Lets processes that change the same entries get out of step. */
async function waitAtRandom(tries: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** tries));
}

type StoredLink = readonly [address: string, ...contributions: readonly (string | number)[][]];

function writeLinks(links: readonly Link[]): string {
  return JSON.stringify(
    links.map(({ address, contributions }) => [
      address,
      ...contributions.map(({ caller, credit, at }) => [caller, credit, at]),
    ]),
  );
}

function readLinks(text: string | undefined): readonly Link[] {
  if (text === undefined) return [];
  return (JSON.parse(text) as readonly StoredLink[]).map(([address, ...contributions]) => ({
    address,
    contributions: contributions.map(([caller, credit, at]) => ({
      caller: String(caller),
      credit: Number(credit),
      at: Number(at),
    })),
  }));
}

type StoredSearch = readonly [
  at: number,
  number: number,
  isAnswered: 0 | 1,
  words: readonly string[],
  shown: readonly string[],
];

function writeSearches(recent: readonly RecentSearch[]): string {
  return JSON.stringify(
    recent.map(({ at, number, isAnswered, words, shown }) => [at, number, isAnswered ? 1 : 0, words, shown]),
  );
}

function readSearches(text: string | undefined): readonly RecentSearch[] {
  if (text === undefined) return [];
  return (JSON.parse(text) as readonly StoredSearch[]).map(([at, number, isAnswered, words, shown]) => ({
    at,
    number,
    isAnswered: isAnswered === 1,
    words,
    shown,
  }));
}
