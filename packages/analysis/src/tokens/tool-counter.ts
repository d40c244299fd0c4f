import { yieldToEventLoop } from '../steps.js';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import type { CountedTool } from '@toolfold/testing/internal';
import { splitCost } from './tool-cost.js';
import type { CostParts } from './tool-cost.js';

/** Counts the tokens of tools, in this thread or in another one. */
export interface ToolCounter {
  readonly count: (tools: readonly CountedTool[]) => Promise<readonly number[]>;
  readonly split: (tools: readonly CountedTool[]) => Promise<readonly CostParts[]>;
  readonly isExact: () => boolean;
}

/** Loads the tokenizer into this thread, which blocks the thread for about 0.3 s. */
export async function createToolCounter(): Promise<ToolCounter> {
  const counter = createTokenCounter();
  return {
    count: async (tools) => tools.map((tool) => countTool(tool, counter)),
    split: async (tools) => tools.map((tool) => splitCost(tool, counter)),
    isExact: counter.isExact,
  };
}

/** Number of tools counted together. Signals are handled between two batches. */
const PART = 20;

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
