import { z } from 'zod';

const nouns = ['ticket', 'invoice', 'customer', 'order', 'shipment', 'contract', 'project', 'release'];
const verbs = ['search', 'create', 'update', 'close', 'assign'];

/**
 * The schema of an ordinary tool: six fields with descriptions, an enum, a list, a nested object and a default.
 *
 * @param {string} noun
 */
const schemaOf = (noun) =>
  z.object({
    title: z.string().describe(`The title of the ${noun}`),
    amount: z.number().int().min(1).max(100).optional().describe(`How many of the ${noun}s to change`),
    state: z.enum(['open', 'waiting', 'closed']).describe(`The state of the ${noun}`),
    labels: z.array(z.string()).optional().describe('Labels, in any order'),
    owner: z
      .object({
        id: z.string().describe('The id of the person'),
        email: z.string().optional().describe('Where the person is notified'),
      })
      .describe(`The person who is responsible for the ${noun}`),
    dryRun: z.boolean().default(false).describe('Only check the request'),
  });

/**
 * Tools with ordinary Zod schemas.
 *
 * @param {number} count
 * @returns {import('../work.mjs').Tool[]}
 */
export const createTools = (count) =>
  Array.from({ length: count }, (_, index) => {
    const [verb, noun] = [verbs[index % verbs.length] ?? 'get', nouns[index % nouns.length] ?? 'item'];
    const name = `${verb}_${noun}_${index}`;
    const description = `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${noun} of the workspace ${index}.`;
    return { name, description, schema: schemaOf(noun) };
  });

const input = {
  title: 'Broken lift',
  amount: 3,
  state: 'open',
  labels: ['urgent', 'second floor'],
  owner: { id: 'u17', email: 'ada@example.com' },
};

/** @type {import('../work.mjs').Sample} */
export const sample = { name: 'search_ticket_0', input, output: { ...input, dryRun: false } };
