type Spec = Readonly<Record<string, unknown>>;
type Pair = readonly [name: string, value: string];

/** The parts of a request that have parameters, as they were sent. */
interface RawParameters {
  readonly path: ReadonlyMap<string, string>;
  readonly query: readonly Pair[];
  readonly header: ReadonlyMap<string, string>;
  readonly cookie: readonly Pair[];
}

interface Kind {
  readonly isContent: boolean;
  /** The types that the schema allows. */
  readonly shape: ReadonlySet<string>;
}

const decode = (text: string): string => decodeURIComponent(text);

/** Reads a parameter from a request, following the tables of the OpenAPI standard. Values are text. */
export function parseParameter(parameter: Spec, { isContent, shape }: Kind, raw: RawParameters): unknown {
  const {
    name,
    in: place,
    style,
    explode,
  } = parameter as { name: string; in: string; style?: string; explode?: boolean };
  const isList = shape.has('array');
  const isObject = shape.has('object');
  switch (place) {
    case 'path': {
      const text = raw.path.get(name);
      if (text === undefined) return undefined;
      return isContent
        ? JSON.parse(decode(text))
        : parsePath(name, text, { style: style ?? 'simple', explode: explode ?? false, isList, isObject });
    }
    case 'header': {
      const text = raw.header.get(name.toLowerCase());
      if (text === undefined) return undefined;
      if (isContent) return JSON.parse(text) as unknown;
      if (isList) return text.split(',');
      return isObject ? toObject(text.split(','), explode ?? false) : text;
    }
    case 'query':
    case 'cookie':
      return parsePairs(name, raw[place], {
        style: style ?? 'form',
        explode: explode ?? (style ?? 'form') === 'form',
        isContent,
        isList,
        isObject,
      });
    default:
      return undefined;
  }
}

function toObject(parts: readonly string[], explode: boolean): object {
  if (explode) return Object.fromEntries(parts.map((part) => part.split(/=(.*)/s).slice(0, 2).map(decode)));
  return Object.fromEntries(
    parts.flatMap((part, at) => (at % 2 === 0 ? [[decode(part), decode(parts[at + 1] ?? '')]] : [])),
  );
}

interface PathForm {
  readonly style: string;
  readonly explode: boolean;
  readonly isList: boolean;
  readonly isObject: boolean;
}

function parsePath(name: string, text: string, { style, explode, isList, isObject }: PathForm): unknown {
  const separator = !explode || style === 'simple' ? ',' : style === 'label' ? '.' : ';';
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const whole = text.slice(prefix.length);
  const unnamed = (part: string): string =>
    style === 'matrix' ? part.replace(new RegExp(`^${name}=?`), '') : part;
  if (isList) return (explode ? whole.split(separator).map(unnamed) : unnamed(whole).split(',')).map(decode);
  if (isObject) return toObject((explode ? whole : unnamed(whole)).split(separator), explode);
  return decode(unnamed(whole));
}

interface PairForm extends PathForm {
  readonly isContent: boolean;
}

function parsePairs(
  name: string,
  pairs: readonly Pair[],
  { style, explode, isContent, isList, isObject }: PairForm,
): unknown {
  const own = pairs.filter(([key]) => decode(key) === name).map(([, value]) => value);
  const [first] = own;
  if (isContent) return first === undefined ? undefined : (JSON.parse(decode(first)) as unknown);
  if (style === 'deepObject') {
    const deep = pairs.filter(([key]) => decode(key).startsWith(`${name}[`));
    return deep.length === 0 ? (first === undefined ? undefined : decode(first)) : readDeep(name, deep);
  }
  // The names of the properties are the names in the query.
  if (isObject && explode && !isList) return undefined;
  if (first === undefined) return undefined;
  if (isList && explode) return own.map(decode);
  const separator = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style] ?? ',';
  if (isList) return first.split(separator).map(decode);
  return isObject ? toObject(first.split(separator), false) : decode(first);
}

/** Reads `a[b][0]=c`. Objects whose names are indexes are lists. */
function readDeep(name: string, pairs: readonly Pair[]): unknown {
  const root: Record<string, unknown> = {};
  for (const [key, value] of pairs) {
    const path = [
      ...decode(key)
        .slice(name.length)
        .matchAll(/\[([^\]]*)\]/g),
    ].map(([, part = '']) => part);
    let at = root;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ''] = decode(value);
  }
  const toLists = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, toLists(inner)] as const);
    return entries.every(([key], index) => key === String(index))
      ? entries.map(([, inner]) => inner)
      : Object.fromEntries(entries);
  };
  return toLists(root);
}
