/** The digits of a JSON number that JavaScript would round. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** Prefix of strings that represent exact numbers during parsing and serialising. Random, so that a server cannot forge it. */
export const mark = crypto.randomUUID();
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');

/** Serialises a value. Exact numbers keep all their digits. */
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
