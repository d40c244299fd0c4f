/** Limits on untrusted JSON, so that code that walks it ends soon and does not exhaust the stack. */
export interface JsonLimits {
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
  /** Maximum number of values: objects, arrays and their entries. Keys do not count. */
  readonly maxValues: number;
}

/** The limits of a request. Validating 20,000 values takes a schema library at most about 50 ms. */
export function withDefaultJsonLimits({
  maxDepth = 100,
  maxValues = 20_000,
}: Partial<JsonLimits>): JsonLimits {
  return { maxDepth, maxValues };
}

export const defaultJsonLimits: JsonLimits = withDefaultJsonLimits({});

/** Returns the limit that a parsed value exceeds; `undefined` if it exceeds none. */
export function exceededLimit(
  value: unknown,
  { maxDepth, maxValues }: JsonLimits,
): keyof JsonLimits | undefined {
  const values = countValues(value, maxValues, Infinity, maxDepth);
  if (values === TOO_DEEP) return 'maxDepth';
  return values > maxValues ? 'maxValues' : undefined;
}

const TOO_DEEP = -1;

/**
 * Counts values. Returns any number above `maxValues` if there are more, and -1 if they are nested deeper than `maxDepth`. With
 * `charsPerValue`, long text counts as several values. The walk goes level by level, so deep values do not exhaust the stack.
 */
export function countValues(
  value: unknown,
  maxValues = Infinity,
  charsPerValue = Infinity,
  maxDepth = Infinity,
): number {
  let values = typeof value === 'string' ? 1 + Math.floor(value.length / charsPerValue) : 1;
  if (typeof value !== 'object' || value === null) return values;
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return TOO_DEEP;
    const below: object[] = [];
    for (const parent of level) {
      if (Array.isArray(parent)) {
        values += parent.length;
        if (values > maxValues) return values;
        for (const child of parent as unknown[])
          if (typeof child === 'object' && child !== null) below.push(child);
          else if (typeof child === 'string') values += Math.floor(child.length / charsPerValue);
      } else {
        for (const key in parent) {
          if (++values > maxValues) return values;
          const child = (parent as Record<string, unknown>)[key];
          if (typeof child === 'object' && child !== null) below.push(child);
          else if (typeof child === 'string') values += Math.floor(child.length / charsPerValue);
        }
      }
    }
    level = below;
  }
  return values;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/**
 * Returns the limit that JSON text exceeds; `undefined` if it exceeds none. Large text is scanned before it is parsed, because
 * parsing a megabyte of small values takes up to 100 ms and this scan 3 ms. Duplicate keys count, although parsing would drop
 * them.
 */
export function exceededTextLimit(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const values = countInText(text, limits);
  if (values === TOO_DEEP) return 'maxDepth';
  return values > limits.maxValues ? 'maxValues' : undefined;
}

/** Limits of JSON from another server. Parsing this many values takes up to 70 ms, and later steps walk them recursively. */
export const foreignJsonLimits: JsonLimits = { maxDepth: 200, maxValues: 200_000 };

/** Parses JSON text from another server. Returns `undefined` if it is malformed or exceeds a limit. */
export function parseForeignJson(text: string): unknown {
  if (exceededTextLimit(text, foreignJsonLimits) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Counts the values in JSON text. Returns `undefined` if it exceeds a limit. */
export function countTextValues(text: string, limits: JsonLimits): number | undefined {
  const values = countInText(text, limits);
  return values === TOO_DEEP || values > limits.maxValues ? undefined : values;
}

function countInText(text: string, { maxDepth, maxValues }: JsonLimits): number {
  let values = 1;
  let depth = 0;
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Skip spaces and line breaks.
    if (code <= 32) continue;
    if (code === QUOTE) {
      for (at++; at < text.length; at++) {
        const inside = text.charCodeAt(at);
        if (inside === BACKSLASH) at++;
        else if (inside === QUOTE) break;
      }
    } else if (code === COMMA) {
      if (++values > maxValues) return values;
    } else if (code === 91 || code === 123) {
      // `[` or `{`. It contains one value more than it has commas, unless it closes immediately.
      if (++depth > maxDepth) return TOO_DEEP;
      values++;
      isEmpty = true;
      continue;
    } else if (code === 93 || code === 125) {
      depth--;
      if (isEmpty) values--;
    }
    if (isEmpty) {
      isEmpty = false;
      if (values > maxValues) return values;
    }
  }
  return values;
}
