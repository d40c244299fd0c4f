import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import { at } from '../finding.js';
import type { Fault, LintRule, Surface } from '../finding.js';

/** Tools with fewer tokens are never reported. */
const MIN_TOKENS = 1_500;
const TIMES_MEDIAN = 5;

function* findHeavy({ tools }: Surface): Generator<Fault> {
  // A token has at least one character. Most lists have no such tool, and then need no tokenizer.
  if (tools.every(({ tool }) => JSON.stringify(tool).length < MIN_TOKENS)) return;
  const counter = createTokenCounter();
  const costs = tools.map(({ tool }) => countTool(tool, counter));
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const median = costs.toSorted((one, two) => one - two)[Math.floor(costs.length / 2)] ?? 0;
  for (const [index, { tool }] of tools.entries()) {
    const cost = costs[index] ?? 0;
    if (cost < MIN_TOKENS || (tools.length > 2 && cost < TIMES_MEDIAN * median)) continue;
    yield {
      ...at({ tool: tool.name }),
      reason: `The tool takes about ${cost} tokens of every request, ${Math.round((100 * cost) / total)} % of the list${tools.length > 2 ? `; half of the tools take at most ${median}` : ''}.`,
    };
  }
}

export const weightRules: readonly LintRule[] = [
  {
    id: 'token-weight',
    severity: 'note',
    summary: `A tool takes at least ${MIN_TOKENS} tokens and ${TIMES_MEDIAN} times as many as half of the tools.`,
    fix: 'Shorten its descriptions, split it, or serve it through search. toolfold tokens shows where they are spent.',
    source: 'https://www.anthropic.com/engineering/advanced-tool-use',
    date: '2025-11',
    check: findHeavy,
  },
];
