import { z } from 'zod';

const nouns = [
  'issue',
  'branch',
  'release',
  'team',
  'webhook',
  'label',
  'milestone',
  'runner',
  'secret',
  'page',
];
const verbs = ['list', 'get', 'create', 'update', 'delete'];
const states = [
  ['open', 'closed'],
  ['open', 'closed', 'all'],
  ['active', 'archived'],
];

/**
 * The name of the action at an index: `create_issue_12`.
 *
 * @param {number} index
 */
export function actionName(index) {
  return `${verbs[index % verbs.length]}_${nouns[index % nouns.length]}_${index}`;
}

/**
 * Six fields as in real catalogs: names that recur with one shape, some with several shapes, some rare; text, number,
 * enum, list and date; half of them optional.
 *
 * @param {number} index
 */
export function createSchema(index) {
  const noun = nouns[index % nouns.length] ?? 'issue';
  return z.object({
    owner: z.string().min(1).describe('The account that owns the repository'),
    repo: z.string().min(1).max(100).describe('The name of the repository'),
    [`${noun}_id`]: z.number().int().positive().describe(`The number of the ${noun}`),
    state: z
      .enum(states[index % states.length] ?? ['open'])
      .optional()
      .describe('Only those in this state'),
    labels: z
      .array(z.string().min(1))
      .max(index % 2 === 0 ? 10 : 50)
      .optional()
      .describe('Only those with all of these labels'),
    since: z.iso.datetime().optional().describe('Only those changed after this moment'),
  });
}

/**
 * Arguments that `createSchema(index)` accepts, all six of them.
 *
 * @param {number} index
 */
export function createArguments(index) {
  return {
    owner: 'octo-org',
    repo: 'hello-world',
    [`${nouns[index % nouns.length]}_id`]: 1347,
    state: states[index % states.length]?.[0],
    labels: ['bug', 'help wanted'],
    since: '2026-02-01T09:30:00Z',
  };
}

/** Six fields that are very cheap to validate, so that any overhead is visible. */
export function createPlainSchema() {
  return z.object({
    owner: z.string(),
    repo: z.string(),
    title: z.string(),
    body: z.string().optional(),
    priority: z.number().int(),
    draft: z.boolean(),
  });
}

/** Arguments that `createPlainSchema()` accepts, all six of them. */
export function createPlainArguments() {
  return {
    owner: 'octo-org',
    repo: 'hello-world',
    title: 'Bug',
    body: 'It does not work.',
    priority: 2,
    draft: false,
  };
}

/**
 * Fresh schemas, for which no library has cached anything yet.
 *
 * @param {number} count
 * @returns {z.ZodObject[]}
 */
export function createSchemas(count) {
  return Array.from({ length: count }, (_, index) => createSchema(index));
}

/**
 * Fields with equal names but different limits and enums in every action, the worst case for merging them into one
 * schema.
 *
 * @param {number} count
 * @returns {z.ZodObject[]}
 */
export function createUnlikeSchemas(count) {
  return Array.from({ length: count }, (_, index) =>
    z.object({ kind: z.enum(['all', `kind_${index}`]), limit: z.number().max(index + 1) }),
  );
}

/**
 * @param {{ input: Record<string, unknown> }} call
 * @returns {Promise<string>}
 */
export async function handler({ input }) {
  return `Done in ${input['owner']}/${input['repo']}.`;
}

/**
 * The definition that an author writes for the action at an index.
 *
 * @param {number} index
 * @param {z.ZodObject} inputSchema
 */
export function createDefinition(index, inputSchema) {
  return {
    name: actionName(index),
    description: `${actionName(index)} in a repository`,
    readOnly: index % verbs.length < 2,
    inputSchema,
    handler,
  };
}
