import { addressOf, at } from '../finding.js';
import type { Fault, Item, LintRule, Surface } from '../finding.js';
import { findNearDuplicates } from '../near-duplicates.js';
import { inputFields } from '../tool-parts.js';
import { listSome, wordsOf } from '../words.js';
import { writingTools } from './writing-tools.js';

/** Claude Code truncates tool descriptions after this many characters. */
const MAX_TOOL = 2_048;
const MAX_FIELD = 1_024;
const MAX_NAME_WORDS = 3;

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function* findMissing({ items }: Surface): Generator<Fault> {
  for (const item of items)
    if (isEmpty(item.description))
      yield {
        ...at(item, '/description'),
        reason: `${item.action === undefined ? 'The tool' : 'The action'} has no description, so a model has only its name to choose it by.`,
      };
}

const fillers = new Set(
  'a an the of for to in on by with from this that tool action all given it its'.split(' '),
);

/** Removes endings, so that "lists users" counts as a repetition of `list_user`. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|e|y)$/, '') : word.replace(/s$/, '');
}

function* findRepeating({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const { description } = item;
    if (description === undefined || isEmpty(description) || description.length > 200) continue;
    const name = new Set(wordsOf(item.name).map(stem));
    const words = wordsOf(description).filter((word) => !fillers.has(word));
    // A long name describes the tool well enough.
    if (wordsOf(item.name).length <= MAX_NAME_WORDS && words.every((word) => name.has(stem(word))))
      yield {
        ...at(item, '/description'),
        reason: `The description "${description.trim()}" says no more than the name.`,
      };
  }
}

function* findDuplicate({ items }: Surface): Generator<Fault> {
  const families = new Map<string, Map<string, Item>>();
  for (const item of items) {
    if (isEmpty(item.description)) continue;
    const family = families.get(item.family) ?? new Map<string, Item>();
    // The rule name-duplicate reports tools with the same name.
    families.set(item.family, family.set(item.name, family.get(item.name) ?? item));
  }
  for (const byName of families.values()) {
    const family = [...byName.values()];
    const groups = findNearDuplicates(
      family.map(({ description = '', name }) => ({
        text: description,
        name,
        nameWords: new Set(wordsOf(name)),
      })),
    );
    for (const group of groups) {
      const [first, ...others] = group.flatMap((index) => family[index] ?? []);
      if (!first || !others[0]) continue;
      const isEqual = others.every(({ description }) => description === first.description);
      yield {
        ...at(others[0], '/description'),
        reason: `The description is ${isEqual ? 'the same as' : 'almost the same as'} that of "${addressOf(first)}"${others.length > 1 ? `, as is that of ${listSome(others.slice(1).map(addressOf))}` : ''}, so a model cannot tell them apart.`,
      };
    }
  }
}

function* findLong({ items, tools }: Surface): Generator<Fault> {
  for (const { tool } of tools) {
    const length = tool.description?.length ?? 0;
    if (length > MAX_TOOL)
      yield {
        ...at({ tool: tool.name }, '/description'),
        reason: `The description has ${length} characters. Claude Code cuts it after ${MAX_TOOL}, so a model never sees the rest.`,
      };
  }
  for (const item of items)
    for (const { pointer, schema, field } of inputFields(item)) {
      const length = typeof schema['description'] === 'string' ? schema['description'].length : 0;
      if (length > MAX_FIELD)
        yield {
          ...at(item, `${pointer}/description`),
          reason: `The description of "${field}" has ${length} characters, which every request pays for.`,
        };
    }
}

export const descriptionRules: readonly LintRule[] = [
  {
    id: 'description-missing',
    severity: 'warning',
    summary: 'A tool or action has no description.',
    fix: 'Say in a sentence what it does, when to use it, and what it returns.',
    ...writingTools,
    check: findMissing,
  },
  {
    id: 'description-repeats-name',
    severity: 'note',
    summary: 'A description has no word that the name does not have.',
    fix: 'Say what is returned or changed, and when to use the tool.',
    ...writingTools,
    check: findRepeating,
  },
  {
    id: 'description-duplicate',
    severity: 'error',
    summary: 'Two descriptions are the same, or almost the same.',
    fix: 'Say in each description what the other tool does not do.',
    ...writingTools,
    check: findDuplicate,
  },
  {
    id: 'description-long',
    severity: 'warning',
    summary: `A description has more than ${MAX_TOOL} characters, or that of a field more than ${MAX_FIELD}.`,
    fix: 'Put what decides about the choice of the tool first, and move the rest to a resource or to the result.',
    source: 'https://code.claude.com/docs/en/mcp',
    date: '2026-11',
    check: findLong,
  },
];
