import { ErrInvalidModel } from '../errors.js';

const MAX_URI_LENGTH = 4096;

/** An RFC 6570 URI template that extracts the values of its variables from a URI. */
export interface UriTemplate {
  readonly variables: readonly string[];
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

/**
 * Parses a template with the expressions `{name}`, which matches up to `/`, `?` or `#`, and `{+name}`, which matches everything.
 * A value of `{+name}` with the segment `.` or `..` does not match.
 */
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
      // Without text between two variables, the end of the first is ambiguous.
      const isAdjacent = parts[index + 1] === '' && index + 2 < parts.length;
      if (name === undefined || variables.includes(name) || isSecondWild || isAdjacent) {
        throw new ErrInvalidModel(
          `The URI template "${template}" has an expression ${part} that is not supported.`,
          {
            hint: 'Use {name} or {+name}, each name once, text between them, and one {+name} at most.',
            details: { template },
          },
        );
      }
      variables.push(name);
      if (operator === '+') wildNames.add(name);
      // A variable ends at the first character of the text that follows, so there is only one way to match and no
      // backtracking.
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
      // Dot segments would lead out of the path of {+name}, and an encoded slash out of the segment of {name}.
      for (const [name, value] of values) {
        if (wildNames.has(name) ? hasDotSegment(value) : leadsOut(value)) return undefined;
      }
      return Object.fromEntries(values);
    },
  };
}

/** Whether a decoded value is not a single path segment. */
function leadsOut(value: string): boolean {
  return value.includes('/') || value.includes('\\') || hasDotSegment(value);
}

/**
 * Whether a path contains `.` or `..` as a segment, or NUL, which ends paths in C. Handlers may decode a value again or pass it
 * to a URL parser, so all nested escapes are decoded first, and tabs and line breaks are removed as URL parsers do.
 */
function hasDotSegment(value: string): boolean {
  let path = value.replace(IGNORED, '');
  for (let layer = 0; path.search(ESCAPE) >= 0; layer++) {
    if (layer === MAX_LAYERS) return true;
    const decoded = path.replace(ESCAPE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    path = decoded.replace(IGNORED, '');
  }
  if (path.includes('\0')) return true;
  return path.split(/[/\\?#]/).some((segment) => segment === '.' || segment === '..');
}

/** Characters that URL parsers remove, even in the middle of an escape. */
const IGNORED = /[\t\n\r]/g;
/** Maximum number of nested escapes. A path with more does not match. */
const MAX_LAYERS = 8;
/** The escapes of `%`, `.`, `/`, backslash, `?`, `#`, NUL, tab and line breaks. */
const ESCAPE = /%(?:25|2e|2f|5c|3f|23|00|09|0a|0d)/gi;

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
