import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Learner } from '../../stores/search-learning.js';
import { createToolSearch } from '../index/tool-search.js';
import type { ToolSearchDocument } from '../index/tool-search.js';
import { MAX_LIFTED } from './links.js';
import { MemorySearchLearning } from './memory-search-learning.js';
import { readQuestionWords } from './question-words.js';

const tools: readonly ToolSearchDocument[] = [
  { address: 'orders/refund', name: 'refund', description: 'Pays the price of an order back.' },
  { address: 'orders/list', name: 'list_orders', description: 'Lists the orders of a customer.' },
  { address: 'orders/cancel', name: 'cancel_order', description: 'Cancels an order.' },
  { address: 'users/ban', name: 'ban_user', description: 'Bans a user.' },
  { address: 'users/list', name: 'list_users', description: 'Lists users.' },
  { address: 'parcels/track', name: 'track_parcel', description: 'Says where a parcel is.' },
  { address: 'mail/send', name: 'send_mail', description: 'Sends a mail to a customer.' },
];
const search = createToolSearch(tools);
const addresses = tools.map(({ address }) => address);
const vocabulary = [
  ...new Set(tools.flatMap(({ name, description }) => readQuestionWords(`${name} ${description}`))),
];

const question = fc
  .array(fc.constantFrom(...vocabulary, 'gimme', 'cash'), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '));
/** Feedback of any caller: a question, any tool as its answer, and any number of repetitions. */
const feedback = fc.array(
  fc.record({
    caller: fc.constantFrom('ada', 'ben', 'eve'),
    query: fc.oneof(question, fc.constantFrom(...tools.map(({ name }) => name))),
    called: fc.constantFrom(...addresses),
    times: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 12 },
);

const learnerOf = (caller: string): Learner => ({ tenant: 'acme', caller, conversation: caller });

/** One caller is enough for full strength, which is the easiest case for an attacker. */
async function learn(all: readonly { caller: string; query: string; called: string; times: number }[]) {
  const learning = new MemorySearchLearning({ minCallers: 1 });
  for (const { caller, query, called, times } of all) {
    for (let time = 0; time < times; time++) {
      await learning.noteSearch(learnerOf(caller), [{ words: readQuestionWords(query), shown: [called] }]);
      await learning.noteCall(learnerOf(caller), called);
    }
  }
  return learning;
}

async function find(learning: MemorySearchLearning, query: string): Promise<string[]> {
  const learned = await learning.recall(learnerOf('ada'), readQuestionWords(query), () => true);
  return search.search(query, { limit: 50, learned }).map(({ address }) => address);
}

describe('poisoned feedback', () => {
  it('never lifts a tool above one whose name is the question', async () => {
    await fc.assert(
      fc.asyncProperty(feedback, fc.constantFrom(...tools), async (all, { name, address }) => {
        expect((await find(await learn(all), name))[0]).toBe(address);
      }),
      { numRuns: 200 },
    );
  });

  it('moves no tool down by more than three places', async () => {
    await fc.assert(
      fc.asyncProperty(feedback, question, async (all, query) => {
        const before = search.search(query, { limit: 50 }).map(({ address }) => address);
        const after = await find(await learn(all), query);
        before.forEach((address, place) => {
          const moved = after.indexOf(address);
          expect(moved).toBeGreaterThanOrEqual(0);
          expect(moved - place).toBeLessThanOrEqual(MAX_LIFTED);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('lifts a tool for other questions, so that the tests above test something', async () => {
    const query = 'the price of an order';
    const poisoned = await learn([{ caller: 'eve', query, called: 'users/ban', times: 10 }]);
    expect(search.search(query)[0]?.address).toBe('orders/refund');
    expect(await find(poisoned, query)).toContain('users/ban');
    const learned = await poisoned.recall(learnerOf('ada'), readQuestionWords('gimme cash'), () => true);
    expect(learned.size).toBe(0);
  });
});
