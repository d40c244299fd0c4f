import { yieldToEventLoop } from '../steps.js';
import { createTokenCounter } from './token-counter.js';
import { countTool, splitCost } from './tool-cost.js';
import type { CostParts, CountedTool } from './tool-cost.js';

/** Counts the tokens of tools, in this thread or in another one. */
export interface ToolCounter {
  readonly count: (tools: readonly CountedTool[]) => Promise<readonly number[]>;
  /** The tokens of tools by their origin. */
  readonly split: (tools: readonly CountedTool[]) => Promise<readonly CostParts[]>;
  /** Whether every count so far is the tokenizer's own. Huge texts, and runs that no person writes, are approximated. */
  readonly isExact: () => boolean;
}

/** Loads the tokenizer into this thread, which blocks it for about 0.3 s, and counts there. */
export async function createToolCounter(): Promise<ToolCounter> {
  const counter = await createTokenCounter();
  return {
    count: async (tools) => tools.map((tool) => countTool(tool, counter)),
    split: async (tools) => tools.map((tool) => splitCost(tool, counter)),
    isExact: counter.isExact,
  };
}

/** Tools that are counted together. A signal is handled between two parts. */
const PART = 20;

/** Applies `count` or `split` to a list of any length. */
export async function inParts<T>(
  tools: readonly CountedTool[],
  count: (part: readonly CountedTool[]) => Promise<readonly T[]>,
  signal: AbortSignal,
): Promise<T[]> {
  const counted: T[] = [];
  for (let at = 0; at < tools.length; at += PART) {
    await yieldToEventLoop(signal);
    counted.push(...(await count(tools.slice(at, at + PART))));
  }
  return counted;
}
