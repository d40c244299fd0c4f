import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './fleet.js';

type Outcome = 'paid' | 'unknown' | 'failed';

/** The outcome of every payment of a client, and statistics of its attempts. */
export interface Load {
  readonly user: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Answers that belong to another client. */
  readonly wrong: readonly string[];
  readonly tries: number;
  readonly errors: number;
  /** The longest time from one answer to the next, in milliseconds. */
  readonly longestGap: number;
  /** Whether the session is still the one that was opened. */
  readonly isSameSession: boolean;
  stop(): Promise<void>;
}

/** A client that makes one payment after the other, and repeats each with its key until the outcome is known. */
export async function startLoad(url: string, user: string, mode: 'auto' | 'legacy'): Promise<Load> {
  const { client, transport } = await connect(url, user, mode);
  client.onerror = () => undefined;
  const { sessionId } = transport;
  const outcomes = new Map<string, Outcome>();
  const wrong: string[] = [];
  const counts = { tries: 0, errors: 0, longestGap: 0 };
  const state = { isStopped: false };
  let lastAnswer = performance.now();

  const attempt = async (key: string): Promise<Outcome | undefined> => {
    counts.tries++;
    try {
      const result = await client.callTool({ name: 'pay', arguments: { key, ms: 5 } }, { timeout: 30_000 });
      const [block] = result.content;
      const text = block?.type === 'text' ? block.text : '';
      if (result.isError !== true) {
        if (text !== `${user} ${key}`) wrong.push(text);
        return 'paid';
      }
      const { code } = (result._meta?.['toolfold/error'] ?? {}) as { code?: string };
      if (code === 'ErrOutcomeUnknown') return 'unknown';
      if (code === 'ErrToolFailed' || code === 'ErrIdempotencyConflict') return 'failed';
    } catch {
      // The payment may have been made; the next attempt with the key tells.
    }
    counts.errors++;
    return undefined;
  };
  /** Every third payment is sent twice, so that two nodes receive it concurrently. */
  const pay = async (key: string, isTwice: boolean): Promise<void> => {
    for (;;) {
      const tries = await Promise.all(isTwice ? [attempt(key), attempt(key)] : [attempt(key)]);
      const outcome = tries.find((each) => each === 'paid') ?? tries.find((each) => each !== undefined);
      if (outcome) {
        outcomes.set(key, outcome);
        counts.longestGap = Math.max(counts.longestGap, performance.now() - lastAnswer);
        lastAnswer = performance.now();
        return;
      }
      await sleep(50);
    }
  };
  const running = (async () => {
    for (let count = 0; !state.isStopped; count++) await pay(`${user}-${count}`, count % 3 === 0);
  })();
  return {
    user,
    outcomes,
    wrong,
    get tries() {
      return counts.tries;
    },
    get errors() {
      return counts.errors;
    },
    get longestGap() {
      return counts.longestGap;
    },
    get isSameSession() {
      return transport.sessionId === sessionId;
    },
    stop: async () => {
      state.isStopped = true;
      await running;
      await client.close();
    },
  };
}
