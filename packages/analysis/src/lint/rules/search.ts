import { wholeList } from '../finding.js';
import type { Fault, LintRule, Surface } from '../finding.js';

const MAX_NAMED = 3;

function* findWithoutKeywords({ searched }: Surface): Generator<Fault> {
  if (!searched) return;
  const without = searched.filter(({ keywords = [] }) => keywords.length === 0);
  if (without.length === 0) return;
  const named = without.slice(0, MAX_NAMED).map(({ address }) => `"${address}"`);
  const more = without.length > MAX_NAMED ? ', …' : '';
  yield {
    ...wholeList,
    reason: `${without.length} of ${searched.length} tools have no search keywords: ${named.join(', ')}${more}. The search finds them only by the words of their names and descriptions.`,
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
];
