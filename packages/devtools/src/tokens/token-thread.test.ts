import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import github from '../../../../test/data/github-tools.json' with { type: 'json' };
import { createToolCounter } from '@toolfold/analysis/internal';
import type { CountedTool } from '@toolfold/analysis/internal';
import { TokenThread } from './token-thread.js';

const tools = github.tools as readonly CountedTool[];
let thread: TokenThread;
beforeEach(() => {
  thread = new TokenThread();
});
afterEach(() => thread.close());

const never = new AbortController().signal;

describe('the thread that counts tokens', () => {
  it('counts and splits like this thread', async () => {
    const [here, there] = [await createToolCounter(), thread.createCounter(never)];
    expect(await there.count(tools)).toEqual(await here.count(tools));
    expect(await there.split(tools)).toEqual(await here.split(tools));
    expect(there.isExact()).toBe(true);
  });

  it('answers several counters at once, and tells each whether its own counts are exact', async () => {
    const [one, other] = [thread.createCounter(never), thread.createCounter(never)];
    const long = { name: 'long', description: 'x'.repeat(1_000) };
    const [some, [huge]] = await Promise.all([one.count(tools.slice(0, 3)), other.count([long])]);
    expect(some).toHaveLength(3);
    expect(huge).toBeGreaterThan(10);
    expect([one.isExact(), other.isExact()]).toEqual([true, false]);
  });

  it('leaves this thread free while it loads the tokenizer', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await thread.createCounter(never).count(tools.slice(0, 1));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  it('counts what can be cloned of a tool with functions', async () => {
    const odd = { name: 'odd', handler: () => 1 } as CountedTool;
    expect(await thread.createCounter(never).count([odd])).toEqual(
      await (await createToolCounter()).count([{ name: 'odd' }]),
    );
  });

  it('rejects the counts of an ended counter and of a closed page', async () => {
    const ended = AbortSignal.abort(new Error('The tools have changed.'));
    await expect(thread.createCounter(ended).count(tools)).rejects.toThrow('The tools have changed.');
    const counting = thread.createCounter(never).count(tools);
    const closing = thread.close();
    await expect(counting).rejects.toThrow('The thread that counts tokens has ended.');
    await closing;
    await expect(thread.createCounter(never).count(tools)).rejects.toThrow('The page is closed.');
  });
});
