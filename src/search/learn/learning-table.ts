/** The change of an entry. It takes effect if the entry still has the expected text. */
export interface TableChange {
  readonly key: string;
  /** The text that was read; `undefined` if there was none. */
  readonly expected: string | undefined;
  /** The new text; `undefined` to delete the entry. */
  readonly text: string | undefined;
}

/**
 * Texts by tenant and key, bounded in both. The entries that were written least recently make room, and a tenant is dropped
 * when nothing was written for the time to live.
 */
export interface LearningTable {
  /** Reads the texts of some keys, in their order. */
  read(tenant: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Makes all changes or, if an entry does not have its expected text, none. Resolves to whether they were made. */
  exchange(tenant: string, changes: readonly TableChange[]): Promise<boolean>;
  /** The tenants that have entries. */
  tenants(): Promise<readonly string[]>;
  /** All entries of a tenant. */
  entries(tenant: string): Promise<ReadonlyMap<string, string>>;
  delete(tenant: string): Promise<void>;
}

/** The limits of a table. */
export interface TableLimits {
  readonly maxEntries: number;
  readonly maxTenants: number;
  readonly ttlMs: number;
}

interface TenantEntries {
  readonly texts: Map<string, string>;
  writtenAt: number;
}

/** A table in memory. Maps keep the order in which entries were written. */
export class MemoryTable implements LearningTable {
  readonly #limits: TableLimits;
  readonly #clock: () => number;
  readonly #tenants = new Map<string, TenantEntries>();

  constructor(limits: TableLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  async read(tenant: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    this.#dropExpired();
    const texts = this.#tenants.get(tenant)?.texts;
    return keys.map((key) => texts?.get(key));
  }

  async exchange(tenant: string, changes: readonly TableChange[]): Promise<boolean> {
    this.#dropExpired();
    const texts = this.#tenants.get(tenant)?.texts ?? new Map<string, string>();
    if (changes.some(({ key, expected }) => texts.get(key) !== expected)) return false;
    for (const { key, text } of changes) {
      texts.delete(key);
      if (text !== undefined) texts.set(key, text);
    }
    dropFirst(texts, this.#limits.maxEntries);
    this.#tenants.delete(tenant);
    if (texts.size > 0) this.#tenants.set(tenant, { texts, writtenAt: this.#clock() });
    dropFirst(this.#tenants, this.#limits.maxTenants);
    return true;
  }

  async tenants(): Promise<readonly string[]> {
    this.#dropExpired();
    return [...this.#tenants.keys()];
  }

  async entries(tenant: string): Promise<ReadonlyMap<string, string>> {
    return new Map(this.#tenants.get(tenant)?.texts);
  }

  async delete(tenant: string): Promise<void> {
    this.#tenants.delete(tenant);
  }

  #dropExpired(): void {
    const end = this.#clock() - this.#limits.ttlMs;
    for (const [tenant, { writtenAt }] of this.#tenants) {
      if (writtenAt > end) return;
      this.#tenants.delete(tenant);
    }
  }
}

function dropFirst<T>(entries: Map<string, T>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
