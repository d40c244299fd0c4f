import { HEADER_MISMATCH, RpcError } from '../../protocol/rpc-error.js';
import { isJsonObject } from '../../values/json-value.js';
import type { EdgeRequest } from '../http/request-response.js';
import { decodeHeader } from './envelope.js';

/** An argument that the client repeats in a header, so that proxies can read it. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** The declarations of each schema. Schemas are frozen, so each is scanned once. */
const declarations = new WeakMap<object, readonly Declared[]>();

/** The error if a call's headers disagree with the arguments that its tool declares with `x-mcp-header`. */
export function paramHeaderMismatch(
  schema: object,
  args: Readonly<Record<string, unknown>> | undefined,
  header: EdgeRequest['header'],
): RpcError | undefined {
  let declared = declarations.get(schema);
  if (!declared) declarations.set(schema, (declared = scan(schema)));
  for (const each of declared) {
    const problem = check(each, args, header);
    if (problem !== undefined) {
      const message = `Bad Request: the request headers and body disagree: ${problem}`;
      return new RpcError(HEADER_MISMATCH, message, { mismatch: { header: each.header, body: problem } });
    }
  }
  return undefined;
}

function check(
  { path, header: name, isNumber }: Declared,
  args: unknown,
  header: EdgeRequest['header'],
): string | undefined {
  const value = path.reduce<unknown>(
    (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    args,
  );
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  // Clients send no header for an integer that loses precision.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  const where = path.join('.');
  const given = header(name.toLowerCase());
  if (given === undefined) return `${where} is in the body and the ${name} header is absent`;
  const decoded = decodeHeader(given);
  if (decoded === undefined) return `the ${name} header is not valid Base64`;
  const isSame =
    isNumber && typeof value === 'number' && DECIMAL.test(decoded)
      ? Number(decoded) === value
      : decoded === String(value);
  return isSame ? undefined : `${where} and the ${name} header differ`;
}

/** Finds the declarations in a schema. Only properties can be declared, not items or alternatives. */
function scan(schema: unknown, path: readonly string[] = []): Declared[] {
  if (!isJsonObject(schema)) return [];
  const name = schema[KEYWORD];
  const own =
    path.length > 0 && typeof name === 'string' && TOKEN.test(name) && types.has(schema['type'])
      ? [
          {
            path,
            header: `Mcp-Param-${name}`,
            isNumber: schema['type'] !== 'string' && schema['type'] !== 'boolean',
          },
        ]
      : [];
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [...own, ...properties.flatMap(([key, child]) => scan(child, [...path, key]))];
}
