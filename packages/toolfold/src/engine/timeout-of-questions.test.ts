import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../registry/tool-registry.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Calls a tool whose person answers after an hour, and whose handler then needs the given time. */
async function callWith(workMs: number): Promise<unknown> {
  const registry = new ToolRegistry().register({
    name: 'erase',
    description: 'Erases',
    inputSchema: {},
    timeoutMs: 1_000,
    confirm: 'Erase?',
    handler: () =>
      new Promise((resolve) => {
        setTimeout(() => resolve('erased'), workMs);
      }),
  });
  const calling = registry.executeTool({
    name: 'erase',
    ask: () =>
      new Promise((resolve) => {
        setTimeout(() => resolve({ allow: { action: 'accept', content: { allow: true } } }), 3_600_000);
      }),
  });
  await vi.advanceTimersByTimeAsync(3_600_000 + workMs);
  const { content } = await calling;
  return content[0];
}

it('does not count the time in which a person answers towards the timeout of a call', async () => {
  expect(await callWith(900)).toMatchObject({ text: 'erased' });
});

it('limits the time after the answer', async () => {
  expect(await callWith(1_100)).toMatchObject({ text: expect.stringContaining('took longer than 1000 ms') });
});

it('leaves no timer behind if a question is answered after the call has ended', async () => {
  let answer = (_answers: Record<string, unknown>): void => undefined;
  const registry = new ToolRegistry().register({
    name: 'erase',
    description: 'Erases',
    inputSchema: {},
    timeoutMs: 1_000,
    handler: ({ context }) => {
      void context.requestInput({ where: { roots: true } });
      return 'ended';
    },
  });
  await registry.executeTool({
    name: 'erase',
    ask: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  answer({ where: { roots: [] } });
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});
