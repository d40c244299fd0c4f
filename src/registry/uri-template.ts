import { ErrInvalidModel } from '../errors.js';

/** A URI template of RFC 6570, read backwards: which variables would have made this URI? */
export interface UriTemplate {
  readonly variables: readonly string[];
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

/** Understands `{name}`, which stops at `/`, `?` and `#`, and `{+name}`, which takes everything. */
export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  const pattern = template
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const [, operator, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
      if (name === undefined || variables.includes(name)) {
        throw new ErrInvalidModel(
          `The URI template "${template}" has an expression ${part} that is not understood.`,
          {
            hint: 'Use {name} or {+name}, each name once.',
            details: { template },
          },
        );
      }
      variables.push(name);
      return operator === '+' ? '(.+)' : '([^/?#]+)';
    })
    .join('');
  const expression = new RegExp(`^${pattern}$`, 'u');
  return {
    variables,
    match(uri) {
      const found = expression.exec(uri);
      if (!found) return undefined;
      return Object.fromEntries(variables.map((name, index) => [name, decode(found[index + 1] ?? '')]));
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
