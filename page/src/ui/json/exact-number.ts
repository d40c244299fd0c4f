/** A number of a JSON text that JavaScript would round, as its digits. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** Begins a string that stands for an exact number while JSON is read or written. It is random, so that a server cannot forge it. */
export const mark = crypto.randomUUID();
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');

/** A value as JSON, in which exact numbers have all their digits. */
export function writeJson(value: unknown, indent?: number): string {
  let hasExact = false;
  const replace = (_: string, each: unknown): unknown => {
    if (!(each instanceof ExactNumber)) return each;
    hasExact = true;
    return mark + each.digits;
  };
  const text = JSON.stringify(value, replace, indent) ?? '';
  return hasExact ? text.replace(marked, '$1') : text;
}
