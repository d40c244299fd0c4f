import { ErrInvalidModel } from '../errors.js';

const MAX_URI_LENGTH = 8192;

/** A URI template of RFC 6570, read backwards: which variables would have made this URI? */
export interface UriTemplate {
  readonly variables: readonly string[];
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

/** Understands `{name}`, which stops at `/`, `?` and `#`, and `{+name}`, which takes everything. */
export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  let wild = 0;
  const wildNames = new Set<string>();
  const pattern = template
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const [, operator, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
      const isSecondWild = operator === '+' && wild++ > 0;
      if (name === undefined || variables.includes(name) || isSecondWild) {
        throw new ErrInvalidModel(
          `The URI template "${template}" has an expression ${part} that is not understood.`,
          {
            hint: 'Use {name} or {+name}, each name once, and one {+name} at most.',
            details: { template },
          },
        );
      }
      variables.push(name);
      if (operator === '+') wildNames.add(name);
      return operator === '+' ? '(.+)' : '([^/?#]+)';
    })
    .join('');
  const expression = new RegExp(`^${pattern}$`, 'u');
  return {
    variables,
    match(uri) {
      const found = uri.length <= MAX_URI_LENGTH ? expression.exec(uri) : null;
      if (!found) return undefined;
      const values = variables.map((name, index) => [name, decode(found[index + 1] ?? '')] as const);
      // An encoded slash would lead out of the segment that {name} stands for.
      return values.some(([name, value]) => !wildNames.has(name) && value.includes('/'))
        ? undefined
        : Object.fromEntries(values);
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
