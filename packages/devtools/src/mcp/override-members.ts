/** Overrides members of an object through a proxy, because a copy would lose its private fields. */
export function overrideMembers<T extends object>(
  target: T,
  own: Partial<T> & Readonly<Record<symbol, unknown>>,
): T {
  return new Proxy(target, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return own[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
