import { describe, expect, it, vi } from 'vitest';
import type { Bus } from 'toolfold';

const listen = (bus: Bus, topic: string) => {
  const heard: unknown[] = [];
  return { heard, stop: bus.subscribe(topic, (message) => heard.push(message)) };
};

/** The contract of a bus. `create` returns the connected buses of three processes. */
export function describeBus(name: string, create: () => Promise<readonly [Bus, Bus, Bus]>): void {
  describe(`the bus over ${name}`, () => {
    it('delivers messages to all other processes in order, and not to the sender', async () => {
      const [one, two, three] = await create();
      const [own, second, third] = [listen(one, 'a'), listen(two, 'a'), listen(three, 'a')];
      const messages = Array.from({ length: 100 }, (_, number) => ({ number, text: 'ä€😀\u2028' }));
      for (const message of messages) one.publish('a', message);
      await vi.waitFor(() => expect([second.heard, third.heard]).toEqual([messages, messages]));
      expect(own.heard).toEqual([]);
    });

    it('delivers messages to subscribers of the topic until they unsubscribe', async () => {
      const [one, two] = await create();
      const [a, b, other] = [listen(two, 'a'), listen(two, 'b'), listen(two, 'a')];
      one.publish('a', 1);
      await vi.waitFor(() => expect([a.heard, other.heard]).toEqual([[1], [1]]));
      other.stop();
      one.publish('a', 2);
      one.publish('b', 3);
      await vi.waitFor(() => expect(b.heard).toEqual([3]));
      expect([a.heard, other.heard]).toEqual([[1, 2], [1]]);
    });

    it('delivers messages to the other subscribers if one throws', async () => {
      const [one, two] = await create();
      two.subscribe('a', () => {
        throw new Error('deaf');
      });
      const { heard } = listen(two, 'a');
      one.publish('a', 1);
      await vi.waitFor(() => expect(heard).toEqual([1]));
    });
  });
}
