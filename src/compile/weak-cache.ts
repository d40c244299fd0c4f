/** Entries of an owner that no longer exist are removed when it has more than this many. */
const MAX_UNSWEPT = 64;

/** A cache that keeps a value only while other code uses it. */
export class WeakCache<V extends object> {
  readonly #byOwner = new WeakMap<object, { refs: Map<string, WeakRef<V>>; sweepAt: number }>();

  getOrMake(owner: object, key: string, make: () => V): V {
    let held = this.#byOwner.get(owner);
    if (!held) this.#byOwner.set(owner, (held = { refs: new Map(), sweepAt: MAX_UNSWEPT }));
    const known = held.refs.get(key)?.deref();
    if (known) return known;
    const made = make();
    held.refs.set(key, new WeakRef(made));
    if (held.refs.size >= held.sweepAt) {
      for (const [each, ref] of held.refs) if (!ref.deref()) held.refs.delete(each);
      held.sweepAt = 2 * Math.max(held.refs.size, MAX_UNSWEPT / 2);
    }
    return made;
  }
}
