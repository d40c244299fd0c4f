/** So much is kept while Redis does not take it, in characters. */
const MAX_KEPT = 16 * 1024 * 1024;
/** What is kept for longer is of no use: whoever wanted it has been told that it is lost. */
const MAX_KEPT_MS = 60_000;
const RETRY_MS = 500;

interface Kept {
  readonly write: () => Promise<void>;
  readonly size: number;
  readonly since: number;
}

/** Writes what is given, each stream in its order, and keeps for a while what failed. */
export class UnwrittenEvents {
  readonly #kept = new Map<string, Kept[]>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Never throws. */
  write(stream: string, write: () => Promise<void>, size: number): void {
    const one = { write, size, since: performance.now() };
    if (this.#kept.has(stream)) this.#keep(stream, one);
    else write().catch(() => this.#keep(stream, one));
  }

  #keep(stream: string, one: Kept): void {
    if (this.#size + one.size > MAX_KEPT) {
      this.#drop(stream);
      return;
    }
    this.#size += one.size;
    const kept = this.#kept.get(stream);
    if (kept) kept.push(one);
    else this.#kept.set(stream, [one]);
    this.#timer ??= setTimeout(() => void this.#tryAll(), RETRY_MS);
    this.#timer.unref();
  }

  /** What follows on what is lost is of no use either. */
  #drop(stream: string): void {
    for (const { size } of this.#kept.get(stream) ?? []) this.#size -= size;
    this.#kept.delete(stream);
  }

  async #tryAll(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((stream) => this.#tryStream(stream)));
    this.#timer = this.#kept.size > 0 ? setTimeout(() => void this.#tryAll(), RETRY_MS) : undefined;
    this.#timer?.unref();
  }

  async #tryStream(stream: string): Promise<void> {
    for (let one = this.#kept.get(stream)?.[0]; one; one = this.#kept.get(stream)?.[0]) {
      try {
        await one.write();
      } catch {
        if (performance.now() - one.since > MAX_KEPT_MS) this.#drop(stream);
        return;
      }
      // It may have been dropped meanwhile.
      if (this.#kept.get(stream)?.[0] !== one) continue;
      this.#kept.get(stream)?.shift();
      this.#size -= one.size;
    }
    this.#kept.delete(stream);
  }
}
