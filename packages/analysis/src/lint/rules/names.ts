import { at, wholeList } from '../finding.js';
import type { Fault, LintRule, Surface } from '../finding.js';
import { listSome, wordsOf } from '../words.js';
import { writingTools } from './writing-tools.js';

const namesOf = ({ tools }: Surface): string[] => tools.map(({ tool }) => tool.name);

function* findDuplicates(surface: Surface): Generator<Fault> {
  const counts = new Map<string, number>();
  for (const name of namesOf(surface)) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of counts)
    if (count > 1)
      yield {
        ...at({ tool: name }, '/name'),
        reason: `${count} tools are named "${name}", so a call cannot choose between them, and the Anthropic API rejects the list.`,
      };
}

/** Returns the naming style, or `undefined` for a single word, which does not show one. */
function styleOf(name: string): string | undefined {
  if (/^[A-Za-z0-9]+$/.test(name)) {
    if (/^[a-z][a-z0-9]*[A-Z]/.test(name)) return 'camelCase';
    return /^[A-Z][a-z0-9]+[A-Z]/.test(name) ? 'PascalCase' : undefined;
  }
  if (/^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(name)) return 'snake_case';
  if (/^[a-z0-9]+(?:-[a-z0-9]+)+$/.test(name)) return 'kebab-case';
  return /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/.test(name) ? 'mixed case' : undefined;
}

function* findMixedCase(surface: Surface): Generator<Fault> {
  const byStyle = new Map<string, string[]>();
  for (const name of namesOf(surface)) {
    const style = styleOf(name);
    if (style === undefined) continue;
    const names = byStyle.get(style);
    if (names) names.push(name);
    else byStyle.set(style, [name]);
  }
  if (byStyle.size < 2) return;
  const [[most = ''] = [], ...others] = [...byStyle].toSorted((one, two) => two[1].length - one[1].length);
  const odd = others.flatMap(([, names]) => names);
  yield {
    ...wholeList,
    reason: `Most names are ${most}, but not ${listSome(odd)}. Models guess names by their pattern.`,
    fix: `Write ${odd.length === 1 ? 'this name' : 'these names'} in ${most}.`,
  };
}

const vagueWords = new Set(
  'action api call command data default do exec execute function get handle helper invoke item main manage misc operation perform process request run set something stuff test thing tool tools util utils utility'.split(
    ' ',
  ),
);

function* findGeneric(surface: Surface): Generator<Fault> {
  for (const name of namesOf(surface)) {
    const words = wordsOf(name).filter((word) => !/^\d+$/.test(word));
    if (words.length > 0 && words.length <= 2 && words.every((word) => vagueWords.has(word)))
      yield {
        ...at({ tool: name }, '/name'),
        reason: `The name "${name}" does not say what the tool works on, and servers with a tool of the same name are common.`,
      };
  }
}

const serverWords = new Set('mcp server fastmcp the official js ts python node tools'.split(' '));

function* findRepeatedServer(surface: Surface): Generator<Fault> {
  const own = wordsOf(surface.server ?? '').filter((word) => !serverWords.has(word));
  const prefix = own.join('');
  if (prefix.length < 3) return;
  const repeating = namesOf(surface).filter((name) => {
    const words = wordsOf(name);
    return words.length > own.length && words.slice(0, own.length).join('') === prefix;
  });
  if (repeating.length === 0) return;
  yield {
    ...wholeList,
    reason: `${repeating.length === 1 ? 'The name' : `${repeating.length} names`} ${listSome(repeating, 3)} repeat${repeating.length === 1 ? 's' : ''} the name of the server, which clients add themselves: mcp__${own.join('_')}__${repeating[0]}.`,
  };
}

/** Verbs that a model cannot tell apart by the name alone. */
const synonyms: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'delete remove destroy erase',
    'get fetch retrieve',
    'update edit modify change',
    'search find lookup',
  ].flatMap((line) => line.split(' ').map((verb, _, [first = verb]) => [verb, first] as const)),
);

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Normalises a name: ignores case, order and plural, and replaces synonymous verbs. */
function similarityKey(name: string): string {
  return wordsOf(name)
    .map((word) => singular(Object.hasOwn(synonyms, word) ? (synonyms[word] as string) : word))
    .toSorted()
    .join(' ');
}

function* findSimilar(surface: Surface): Generator<Fault> {
  const byKey = new Map<string, Set<string>>();
  for (const name of namesOf(surface)) {
    const key = similarityKey(name);
    if (key === '') continue;
    const names = byKey.get(key) ?? new Set();
    byKey.set(key, names.add(name));
  }
  for (const names of byKey.values()) {
    const [first = '', ...others] = names;
    if (others.length === 0) continue;
    const difference = differenceOf(first, others[0] ?? '');
    yield {
      ...at({ tool: others[0] ?? '' }, '/name'),
      // A list and its items are often named this way.
      severity: difference === PLURAL ? 'note' : undefined,
      reason: `The name differs from "${first}" only in ${difference}${others.length > 1 ? `, as do ${listSome(others.slice(1))}` : ''}, so models confuse them.`,
    };
  }
}

const PLURAL = 'the plural';

function differenceOf(one: string, two: string): string {
  const [first, second] = [wordsOf(one), wordsOf(two)];
  if (first.join('') === second.join('')) return 'case or separators';
  if (first.toSorted().join(' ') === second.toSorted().join(' ')) return 'the order of its words';
  return first.map(singular).toSorted().join(' ') === second.map(singular).toSorted().join(' ')
    ? PLURAL
    : 'a verb of the same meaning';
}

export const nameRules: readonly LintRule[] = [
  {
    id: 'name-duplicate',
    severity: 'error',
    summary: 'Two tools have the same name.',
    fix: 'Rename one of them.',
    source: 'https://modelcontextprotocol.io/specification/2025-11-25/server/tools',
    date: '2025-11',
    check: findDuplicates,
  },
  {
    id: 'name-case',
    severity: 'warning',
    summary: 'The names of a list mix styles such as snake_case and camelCase.',
    fix: 'Use one style for all names.',
    ...writingTools,
    check: findMixedCase,
  },
  {
    id: 'name-generic',
    severity: 'warning',
    summary: 'A name such as `run` or `get_data` says nothing about the tool.',
    fix: 'Name the verb and the thing that it works on, such as search_invoices.',
    ...writingTools,
    check: findGeneric,
  },
  {
    id: 'name-repeats-server',
    severity: 'note',
    summary: 'Names of tools begin with the name of the server, which clients add themselves.',
    fix: 'Leave the name of the server out. Keep the old names as aliases.',
    source: 'https://github.com/ComposioHQ/composio/issues/2788',
    date: '2026-02',
    check: findRepeatedServer,
  },
  {
    id: 'name-similar',
    severity: 'warning',
    summary:
      'Two names differ only in case, separators, order of words, plural, or a verb of the same meaning.',
    fix: 'Merge the two tools, or name the difference between them.',
    ...writingTools,
    check: findSimilar,
  },
];
