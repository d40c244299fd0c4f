/** Whether an object is a bare record, of this realm or another, and no instance of a class. */
export function isPlainObject(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
