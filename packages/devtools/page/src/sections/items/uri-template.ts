import { wellFormed } from '../../ui/well-formed.js';

/** An expression of a URI template (RFC 6570), such as `{?page,size}`. */
interface Expression {
  readonly operator: string;
  readonly variables: readonly Variable[];
}

interface Variable {
  readonly name: string;
  readonly isExploded: boolean;
  /** Number of characters to which the value is cut, as in `{name:3}`. */
  readonly prefix?: number | undefined;
}

const expression = /\{([+#./;?&]?)([^{}]+)\}/g;

/** Returns the names of a template's variables, in order of appearance. */
export function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(expression)].flatMap(([, , list = '']) =>
    readVariables(list).map(({ name }) => name),
  );
  return [...new Set(names)];
}

/** Returns the URI of a template with these values. Omits variables without a value. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      const match = /^\{([+#./;?&]?)([^{}]+)\}$/.exec(part);
      if (!match) return encodeReserved(part);
      return expand({ operator: match[1] ?? '', variables: readVariables(match[2] ?? '') }, values);
    })
    .join('');
}

function readVariables(list: string): readonly Variable[] {
  return list.split(',').map((text) => {
    const [, name = text, length, star] = /^([^:*]+)(?::(\d+))?(\*)?$/.exec(text) ?? [];
    return { name, isExploded: star === '*', prefix: length === undefined ? undefined : Number(length) };
  });
}

const starts: Readonly<Record<string, string>> = {
  '#': '#',
  '.': '.',
  '/': '/',
  ';': ';',
  '?': '?',
  '&': '&',
};
const separators: Readonly<Record<string, string>> = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' };

function expand({ operator, variables }: Expression, values: Readonly<Record<string, string>>): string {
  const isNamed = operator === '?' || operator === '&' || operator === ';';
  const encode = operator === '+' || operator === '#' ? encodeReserved : encodeUnreserved;
  const parts = variables.flatMap(({ name, prefix }) => {
    if (!Object.hasOwn(values, name)) return [];
    const value = values[name] ?? '';
    const text = encode(prefix === undefined ? value : Array.from(value).slice(0, prefix).join(''));
    if (!isNamed) return [text];
    return [text === '' && operator === ';' ? encodeReserved(name) : `${encodeReserved(name)}=${text}`];
  });
  return parts.length === 0 ? '' : (starts[operator] ?? '') + parts.join(separators[operator] ?? ',');
}

function encodeUnreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps characters with a meaning in URIs, and existing escapes. */
function encodeReserved(text: string): string {
  return text
    .split(/(%[\dA-Fa-f]{2})/)
    .map((part) =>
      /^%[\dA-Fa-f]{2}$/.test(part)
        ? part
        : encodeURI(wellFormed(part)).replaceAll('%5B', '[').replaceAll('%5D', ']'),
    )
    .join('');
}
