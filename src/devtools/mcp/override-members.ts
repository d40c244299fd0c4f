/** Returns an object that behaves like another one, except for some members. A copy would lose the private fields of its class. */
export function overrideMembers<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return own[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
