import type { SearchWords } from 'toolfold';
import type { SearchSidecar } from '@toolfold/search';
import { toLine } from 'toolfold/internal';

interface KeywordChange {
  readonly address: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the words for an address. Uses an own-property check, because an address may be `__proto__`. */
export function wordsIn({ tools }: SearchSidecar, address: string): SearchWords | undefined {
  return Object.hasOwn(tools, address) ? tools[address] : undefined;
}

export function withKeywords(
  sidecar: SearchSidecar,
  drafted: ReadonlyMap<string, readonly string[]>,
): SearchSidecar {
  const changed = [...drafted].map(([address, keywords]): [string, SearchWords] => [
    address,
    { ...wordsIn(sidecar, address), keywords },
  ]);
  return { version: 1, tools: Object.fromEntries([...Object.entries(sidecar.tools), ...changed]) };
}

export function compareSidecars(before: SearchSidecar, after: SearchSidecar): KeywordChange[] {
  return Object.keys(after.tools)
    .toSorted()
    .map((address) => {
      const old = wordsIn(before, address)?.keywords ?? [];
      const now = wordsIn(after, address)?.keywords ?? [];
      return {
        address,
        added: now.filter((word) => !old.includes(word)),
        removed: old.filter((word) => !now.includes(word)),
      };
    })
    .filter(({ added, removed }) => added.length + removed.length > 0);
}

export function writeChanges(changes: readonly KeywordChange[], isColoured: boolean): string {
  const write = (sign: string, colour: number, words: readonly string[]): string[] => {
    const line = `  ${sign} ${toLine(words.join(', '))}`;
    return words.length === 0 ? [] : [isColoured ? `\u001b[${colour}m${line}\u001b[0m` : line];
  };
  return changes
    .flatMap(({ address, added, removed }) => [
      toLine(address),
      ...write('-', 31, removed),
      ...write('+', 32, added),
    ])
    .join('\n');
}

/** Formats a search file with one line per list and sorted addresses, so that diffs are readable. */
export function writeSidecar({ tools }: SearchSidecar): string {
  const entries = Object.entries(tools)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([address, { keywords = [], examples = [] }]) => {
      const lists = [
        `"keywords": ${writeList(keywords)}`,
        ...(examples.length > 0 ? [`"examples": ${writeList(examples)}`] : []),
      ];
      return `    ${JSON.stringify(address)}: {\n      ${lists.join(',\n      ')}\n    }`;
    });
  return `{\n  "version": 1,\n  "tools": {\n${entries.join(',\n')}\n  }\n}\n`;
}

function writeList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}
