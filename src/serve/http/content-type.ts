import { reject } from './edge.js';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './edge.js';

/** Whether a `Content-Type` says JSON. Parameters do not matter. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && JSON_TYPE.test(contentType);
}

/** A media type and parameters, of which no two types can be made. */
const JSON_TYPE = /^[\t ]*application\/json[\t ]*(?:;[^,]*)?$/i;

/** The error response to a body that is not plain JSON; `undefined` for all others. */
export function rejectMedia(header: (name: string) => string | undefined): WholeAnswer | undefined {
  if (!isJson(header('content-type'))) return wrongMediaType;
  const encoding = header('content-encoding');
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity' ? undefined : wrongEncoding;
}

export const wrongMediaType = reject(
  415,
  REJECTED,
  'Unsupported Media Type: Content-Type must be application/json',
);

const wrongEncoding = reject(
  415,
  REJECTED,
  'Unsupported Media Type: send the body without Content-Encoding',
  {
    headers: { 'accept-encoding': 'identity' },
  },
);
