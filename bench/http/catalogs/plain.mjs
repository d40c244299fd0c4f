import { z } from 'zod';

/**
 * Tools with two fields, whose own work is so small that the rest of a request is visible.
 *
 * @param {number} count
 * @returns {import('../work.mjs').Tool[]}
 */
export const createTools = (count) =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Repeats a text',
    schema: z.object({ text: z.string(), times: z.number().int() }),
  }));

const input = { text: 'ab', times: 3 };

/** @type {import('../work.mjs').Sample} */
export const sample = { name: 'tool_0', input, output: input };
