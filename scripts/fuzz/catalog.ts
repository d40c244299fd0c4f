/** Constants shared by the fuzzed server and its clients. */

/** The text of an unexpected error of a handler. It must not appear in a protocol error. */
export const INTERNALS = 'connect ECONNREFUSED at query (/srv/app/database.ts:12:34)';

/** A middleware throws for requests with this key in `_meta`. */
export const FAIL_KEY = 'example.com/fail';

/** A small limit, so that a short run reaches it. */
export const MAX_SESSIONS = 50;

export const oddities = [
  'throws',
  'throws undefined',
  'throws a text',
  'throws what cannot be shown',
  'returns undefined',
  'returns a loop',
  'returns a large integer',
  'returns a symbol',
  'returns a function',
  'returns what throws',
  'returns half a pair',
  'returns much',
];
