import { wholeList } from '../finding.js';
import type { Fault, LintRule, SearchedTool, Surface } from '../finding.js';

const MAX_NAMED = 3;

const findWithoutKeywords = createCheck(
  ({ keywords = [] }) => keywords.length === 0,
  'have no search keywords',
  'The search finds them only by the words of their names and descriptions.',
);
const findWithoutResult = createCheck(
  ({ isUndeclared }) => isUndeclared === true,
  'have no output schema',
  'Code sees Promise<unknown>, so a model needs a run of code to look at a result.',
);

/** Creates a check that gives one finding for all tools of the search that lack something. */
function createCheck(
  isLacking: (tool: SearchedTool) => boolean,
  what: string,
  effect: string,
): (surface: Surface) => Generator<Fault> {
  return function* check({ searched = [] }) {
    const without = searched.filter(isLacking);
    if (without.length === 0) return;
    const named = without.slice(0, MAX_NAMED).map(({ address }) => `"${address}"`);
    const more = without.length > MAX_NAMED ? ', …' : '';
    yield {
      ...wholeList,
      reason: `${without.length} of ${searched.length} tools ${what}: ${named.join(', ')}${more}. ${effect}`,
    };
  };
}

export const searchRules: readonly LintRule[] = [
  {
    id: 'search-keywords-missing',
    severity: 'note',
    summary: 'A tool of a server in the search form has no keywords.',
    fix: 'Run toolfold search draft, or add search: { keywords } to the definitions.',
    source: 'npm run bench:search, decision 0009',
    date: '2026-11',
    check: findWithoutKeywords,
  },
  {
    id: 'output-schema-missing',
    severity: 'warning',
    summary: 'A tool that code calls has no output schema, so its declaration returns `Promise<unknown>`.',
    fix: 'Add outputSchema to the definitions. toolfold test --write-output-schemas drafts it from results.',
    source: 'npm run bench:code, decision 0021',
    date: '2026-11',
    check: findWithoutResult,
  },
];
