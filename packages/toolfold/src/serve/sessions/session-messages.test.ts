import { describe, expect, it } from 'vitest';
import { digest } from '../../values/digest.js';
import { randomId } from '../../runtime/random-id.js';
import type { Bus } from '../../stores/contracts.js';
import { shareMessages } from './session-messages.js';

const SESSIONS = Array.from({ length: 1_000 }, () => randomId());
const MESSAGES = 100;

describe('messages about sessions', () => {
  it('are delivered without a digest of every local session', () => {
    const listeners: ((message: unknown) => void)[] = [];
    const bus: Bus = {
      publish: () => undefined,
      subscribe: (_topic, listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      onGap: () => () => undefined,
    };
    let found = 0;
    shareMessages(bus, (isMeant) => {
      found += SESSIONS.filter((id) => isMeant(id)).length;
      return false;
    });
    const hear = (session: string): void =>
      listeners[0]?.({ session: digest(session), message: { kind: 'cancel', id: 1 } });
    hear(SESSIONS[7] as string);
    expect(found).toBe(1);

    const timed = (work: () => void): number => {
      const began = performance.now();
      for (let count = 0; count < MESSAGES; count++) work();
      return performance.now() - began;
    };
    const digesting = timed(() => SESSIONS.forEach((id) => digest(id)));
    const hearing = timed(() => hear('of another process'));
    expect(found).toBe(1);
    expect(hearing).toBeLessThan(digesting / 2);
  });
});
