import { ErrInvalidModel } from '../errors.js';

const MAX_URI_LENGTH = 4096;

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
  const parts = template.split(/(\{[^{}]*\})/);
  const pattern = parts
    .map((part, index) => {
      if (!part.startsWith('{')) return escape(part);
      const [, operator, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
      const isSecondWild = operator === '+' && wild++ > 0;
      // Where one ends and the next begins could not be told.
      const isAdjacent = parts[index + 1] === '' && index + 2 < parts.length;
      if (name === undefined || variables.includes(name) || isSecondWild || isAdjacent) {
        throw new ErrInvalidModel(
          `The URI template "${template}" has an expression ${part} that is not understood.`,
          {
            hint: 'Use {name} or {+name}, each name once, text between them, and one {+name} at most.',
            details: { template },
          },
        );
      }
      variables.push(name);
      if (operator === '+') wildNames.add(name);
      // A variable ends at the text that follows it, so that there is one way to match and no going back.
      const next = parts[index + 1]?.charAt(0) ?? '';
      const end = next === '-' ? '\\-' : escape(next);
      return operator === '+' ? '(.+)' : `([^/?#${end}]+)`;
    })
    .join('');
  const expression = new RegExp(`^${pattern}$`, 'u');
  return {
    variables,
    match(uri) {
      const found = uri.length <= MAX_URI_LENGTH ? expression.exec(uri) : null;
      if (!found) return undefined;
      const values = variables.map((name, index) => [name, decode(found[index + 1] ?? '')] as const);
      // An encoded slash or dots would lead out of the segment that {name} stands for.
      return values.some(([name, value]) => !wildNames.has(name) && leadsOut(value))
        ? undefined
        : Object.fromEntries(values);
    },
  };
}

/** Whether a decoded value is more than one segment, or another one. */
function leadsOut(value: string): boolean {
  return (
    value === '.' || value === '..' || value.includes('/') || value.includes('\\') || value.includes('\0')
  );
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
