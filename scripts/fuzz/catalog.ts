/** What the fuzzed server and those who ask it both know. */

/** What a handler throws by mistake, and no client is to see in an error of the protocol. */
export const INTERNALS = 'connect ECONNREFUSED at query (/srv/app/database.ts:12:34)';

/** A request whose `_meta` has this key meets a middleware that throws. */
export const FAIL_KEY = 'example.com/fail';

/** Few enough that a short run fills them. */
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
