import { readFileSync } from 'node:fs';

/** @typedef {import('../src/search/index/tool-search.js').ToolSearchDocument} Tool */
/** @typedef {{ query: string, answers: readonly string[] }} Question */

const read = (/** @type {string} */ file) =>
  JSON.parse(readFileSync(new URL(`../test/data/${file}`, import.meta.url), 'utf8'));

/** @type {{ tools: { name: string, description: string }[], queries: { query: string, tool: string }[] }} */
const dev = read('tool-search-dev.json');
/** @type {{ tools: { name: string, description: string, inputSchema: { properties?: Record<string, { description?: string }> } }[] }} */
const gitHubCatalog = read('github-tools.json');
/** @type {{ queries: { query: string, tools: string[] }[] }} */
const gitHubQuestions = read('github-questions.json');

/** 100 tools and 2,000 questions of ToolE. */
export const toolE = {
  tools: dev.tools.map((tool) => /** @type {Tool} */ ({ ...tool, address: tool.name })),
  questions: dev.queries.map(({ query, tool }) => /** @type {Question} */ ({ query, answers: [tool] })),
};

/** GitHub's tools, and questions in plain language that were written for this benchmark. */
export const gitHub = {
  tools: gitHubCatalog.tools.map(
    ({ name, description, inputSchema }) =>
      /** @type {Tool} */ ({
        address: name,
        name,
        description,
        arguments: Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
          name: argument,
          description: schema.description,
        })),
      }),
  ),
  questions: gitHubQuestions.queries.map(
    ({ query, tools }) => /** @type {Question} */ ({ query, answers: tools }),
  ),
};

/** Numbers from 0 to 1, the same in every run. */
export function createRandom(/** @type {number} */ seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Generated tools for time measurements. They use words of real tools and of real questions, so that the vocabulary
 * grows with the number of tools.
 *
 * @param {number} count
 * @returns {Tool[]}
 */
export function inventTools(count) {
  const random = createRandom(count);
  const common = [...toolE.tools, ...gitHub.tools].flatMap(({ description = '' }) =>
    description.split(/\s+/),
  );
  const rare = toolE.questions.flatMap(({ query }) => query.split(/\s+/));
  const pick = (/** @type {readonly string[]} */ words) => words[Math.floor(random() * words.length)] ?? '';
  return Array.from({ length: count }, (_, at) => {
    const words = Array.from({ length: 12 + Math.floor(random() * 24) }, () =>
      pick(random() < 0.7 ? common : rare),
    );
    return { address: `tool${at}`, name: `${words[0]}_${words[1]}`, description: words.join(' ') };
  });
}
