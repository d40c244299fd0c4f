/** Each bucket is 4 % wider than the previous one, so its middle differs by at most 2 % from its values. */
const GROWTH = Math.log(1.04);
/** Shorter durations, in milliseconds, share one bucket. */
const SHORTEST = 0.001;
/** Number of buckets above the shortest duration. The last one covers everything above 45 hours. */
const LAST = 660;

/** Counts durations in buckets, so that quantiles of any number of calls need little memory. */
export class DurationHistogram {
  /** Holds only the used buckets: most tools need about ten. */
  readonly #counts = new Map<number, number>();
  #count = 0;
  #sum = 0;

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  add(ms: number): void {
    const bucket = ms > SHORTEST ? Math.min(LAST, Math.ceil(Math.log(ms / SHORTEST) / GROWTH)) : 0;
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#count++;
    this.#sum += ms;
  }

  /** Returns the duration at each quantile, such as 0.5 and 0.95. The quantiles must ascend. */
  quantiles(shares: readonly number[]): number[] {
    const buckets = [...this.#counts].toSorted(([one], [other]) => one - other);
    let at = 0;
    let below = buckets[0]?.[1] ?? 0;
    return shares.map((share) => {
      const rank = Math.max(1, Math.ceil(share * this.#count));
      while (below < rank && at < buckets.length - 1) below += buckets[++at]?.[1] ?? 0;
      return valueOf(buckets[at]?.[0]);
    });
  }
}

/** Returns the geometric middle of a bucket. */
function valueOf(bucket: number | undefined): number {
  if (bucket === undefined) return 0;
  return bucket === 0 ? SHORTEST : SHORTEST * Math.exp((bucket - 0.5) * GROWTH);
}
