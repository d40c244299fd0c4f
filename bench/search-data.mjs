import { readFileSync } from 'node:fs';
import { declaredFields } from '@toolfold/schema/internal';
import { describeArguments } from '@toolfold/search/internal';

/** @typedef {import('../packages/search/src/index/tool-search.js').ToolSearchDocument} Tool */
/** @typedef {{ query: string, answers: readonly string[] }} Question one of the answers is enough */
/** @typedef {{ query: string, distance: 'far' | 'near' }} Unanswerable */
/** @typedef {{ query: string, steps: readonly string[], needed: readonly (readonly string[])[] }} Task */

const read = (/** @type {string} */ file) =>
  JSON.parse(readFileSync(new URL(`../test/data/${file}`, import.meta.url), 'utf8'));

/** @type {{ tools: { name: string, description: string }[], queries: { query: string, tool: string }[] }} */
const dev = read('tool-search-dev.json');
/** @type {{ tools: { name: string, description: string, inputSchema: object }[] }} */
const gitHubCatalog = read('github-tools.json');
/** @type {{ queries: { query: string, tools: string[] }[] }} */
const gitHubQuestions = read('github-questions.json');

/** @typedef {{ name: string, tools: readonly Tool[], questions: readonly Question[], unanswerable: readonly Unanswerable[], keywords: ReadonlyMap<string, readonly string[]> }} QuestionSet */

/** 100 tools and 2,000 questions of ToolE. */
export const toolE = {
  name: 'ToolE',
  tools: dev.tools.map((tool) => /** @type {Tool} */ ({ ...tool, address: tool.name })),
  questions: dev.queries.map(({ query, tool }) => /** @type {Question} */ ({ query, answers: [tool] })),
  unanswerable: readUnanswerable('toole-unanswerable.json'),
  keywords: readKeywords('toole-keywords.json'),
};

/** GitHub's tools, and questions in plain language that were written for this benchmark. */
export const gitHub = {
  name: 'GitHub',
  tools: gitHubCatalog.tools.map(
    ({ name, description, inputSchema }) =>
      /** @type {Tool} */ ({
        address: name,
        name,
        description,
        arguments: describeArguments(declaredFields(inputSchema)),
      }),
  ),
  questions: gitHubQuestions.queries.map(
    ({ query, tools }) => /** @type {Question} */ ({ query, answers: tools }),
  ),
  unanswerable: readUnanswerable('github-unanswerable.json'),
  keywords: readKeywords('github-keywords.json'),
};

/** Tasks over GitHub's tools that need several of them. */
export const gitHubTasks = /** @type {{ query: string, steps: string[], tools: (string | string[])[] }[]} */ (
  read('github-tasks.json').queries
).map(
  ({ query, steps, tools }) =>
    /** @type {Task} */ ({ query, steps, needed: tools.map((tool) => [tool].flat()) }),
);

/** Tools and questions in Chinese, Japanese, Korean and Thai. */
export const cjk = {
  tools: /** @type {Omit<Tool, 'name'>[]} */ (read('cjk-tools.json')).map(
    (tool) => /** @type {Tool} */ ({ ...tool, name: tool.address }),
  ),
  questions: /** @type {{ query: string, tool: string, language: string }[]} */ (
    read('cjk-questions.json').queries
  ).map(({ query, tool, language }) => ({ query, answers: [tool], language })),
};

/**
 * @param {string} file
 * @returns {readonly Unanswerable[]}
 */
function readUnanswerable(file) {
  return read(file).queries;
}

/**
 * @param {string} file
 * @returns {ReadonlyMap<string, readonly string[]>}
 */
function readKeywords(file) {
  /** @type {{ tools: Record<string, { keywords: string[] }> }} */
  const { tools } = read(file);
  return new Map(Object.entries(tools).map(([address, { keywords }]) => [address, keywords]));
}

/**
 * Adds keywords to tools.
 *
 * @param {Pick<QuestionSet, 'tools' | 'keywords'>} set
 * @param {{ most?: number, only?: (address: string) => boolean }} [choice]
 * @returns {Tool[]}
 */
export function withKeywords({ tools, keywords }, { most = Infinity, only = () => true } = {}) {
  return tools.map((tool) =>
    only(tool.address) ? { ...tool, keywords: keywords.get(tool.address)?.slice(0, most) ?? [] } : tool,
  );
}

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

/** Adds ten keywords to each generated tool. */
export function inventKeywords(/** @type {readonly Tool[]} */ tools) {
  const random = createRandom(tools.length + 1);
  const words = [...toolE.keywords.values(), ...gitHub.keywords.values()].flat();
  const pick = () => words[Math.floor(random() * words.length)] ?? '';
  return tools.map((tool) => ({ ...tool, keywords: Array.from({ length: 10 }, pick) }));
}
