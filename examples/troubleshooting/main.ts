/** Prints the message of each mistake. */
import assert from 'node:assert/strict';
import { messageOf, mistakes } from './mistakes.js';

for (const mistake of mistakes) {
  const message = await messageOf(mistake);
  console.log(message);
  assert.notEqual(message, 'no message');
}
