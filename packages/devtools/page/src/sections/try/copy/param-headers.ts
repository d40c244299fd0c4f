import { encodeBase64 } from '../../../mcp/base64.js';
import { isRecord } from '../form/json.js';

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** Returns the headers with which a 2026 request repeats arguments that the schema marks with `x-mcp-header`. */
export function paramHeaders(schema: unknown, value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(schema) || !isRecord(value) || !isRecord(schema['properties'])) return {};
  const found: Record<string, string> = {};
  for (const [key, property] of Object.entries(schema['properties'])) {
    if (!isRecord(property) || !Object.hasOwn(value, key)) continue;
    const { type, 'x-mcp-header': name } = property;
    const text = headerText(value[key]);
    if (text !== undefined && typeof name === 'string' && headerName.test(name) && headerTypes.has(type))
      found[`Mcp-Param-${name}`] = text;
    Object.assign(found, paramHeaders(property, value[key]));
  }
  return found;
}

/** Returns the text of a header value. Integers that JavaScript rounds have no header. */
function headerText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Encodes a value as base64 if a header cannot carry it. */
export function encodeHeader(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?')) return value;
  return `=?base64?${encodeBase64(new TextEncoder().encode(value))}?=`;
}
