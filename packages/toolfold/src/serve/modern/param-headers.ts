import { HEADER_MISMATCH, RpcError } from '../../protocol/rpc-error.js';
import type { ParamHeader } from '../../compile/compiled-tool.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { EdgeRequest } from '../http/request-response.js';
import { decodeHeader } from './envelope.js';

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Returns an error if a call's headers disagree with the arguments that its tool declares with `x-mcp-header`. */
export function paramHeaderMismatch(
  declared: readonly ParamHeader[],
  args: Readonly<Record<string, unknown>> | undefined,
  header: EdgeRequest['header'],
): RpcError | undefined {
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
  { path, header: name, isNumber }: ParamHeader,
  args: unknown,
  header: EdgeRequest['header'],
): string | undefined {
  const value = path.reduce<unknown>((at, key) => {
    // JSON text in place of an object is read later, so its fields cannot be compared here.
    if (typeof at === 'string' && /^\s*[{[]/.test(at)) return at;
    return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, args);
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
