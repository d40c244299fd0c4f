import { encodeBase64 } from '../../../mcp/base64.js';
import { isRecord } from '../form/json.js';

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** The arguments that a 2026 request repeats in headers, because the schema of the tool marks them with `x-mcp-header`. */
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

/** An integer that JavaScript rounds has no header. */
function headerText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** A value that a header cannot carry is sent as base64. */
export function encodeHeader(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?')) return value;
  return `=?base64?${encodeBase64(new TextEncoder().encode(value))}?=`;
}
