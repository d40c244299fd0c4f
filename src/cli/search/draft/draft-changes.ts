import type { SearchWords } from '../../../index.js';
import type { SearchSidecar } from '../../../search.js';
import { toLine } from '../../../values/to-line.js';
import type { Siblings } from './siblings.js';

/** The keywords that a draft adds to a tool or removes from it. */
export interface KeywordChange {
  readonly address: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The words of a sidecar for an address. Addresses such as `__proto__` are ordinary names. */
export function wordsIn({ tools }: SearchSidecar, address: string): SearchWords | undefined {
  return Object.hasOwn(tools, address) ? tools[address] : undefined;
}

/** A sidecar with new keywords. Examples, and tools without new keywords, stay as they are. */
export function withKeywords(
  sidecar: SearchSidecar,
  drafted: ReadonlyMap<string, readonly string[]>,
): SearchSidecar {
  const changed = [...drafted].map(([address, keywords]): [string, SearchWords] => {
    const { examples = [] } = wordsIn(sidecar, address) ?? {};
    return [address, { keywords, ...(examples.length > 0 ? { examples } : {}) }];
  });
  return { version: 1, tools: Object.fromEntries([...Object.entries(sidecar.tools), ...changed]) };
}

/** The changes of keywords between two sidecars, by address. */
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

/** Formats changes for a person: the words of each tool after + and -. */
export function writeChanges(changes: readonly KeywordChange[], isColoured: boolean): string {
  const colour = (code: number, text: string): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  return changes
    .flatMap(({ address, added, removed }) => [
      toLine(address),
      ...(removed.length > 0 ? [colour(31, `  - ${toLine(removed.join(', '))}`)] : []),
      ...(added.length > 0 ? [colour(32, `  + ${toLine(added.join(', '))}`)] : []),
    ])
    .join('\n');
}

const MAX_SHOWN = 10;
const MAX_SHARED = 8;

/** A warning for each pair of tools that became alike. */
export function describeSiblings(siblings: readonly Siblings[]): string[] {
  const lines = siblings.slice(0, MAX_SHOWN).map(({ addresses: [one, other], before, after, shared }) => {
    const words = shared.slice(0, MAX_SHARED).join(', ');
    const more = shared.length > MAX_SHARED ? ', …' : '';
    return (
      `"${toLine(one)}" and "${toLine(other)}" now share ${percent(after)} of their words (${percent(before)} before): ` +
      `${toLine(words)}${more}. Give each the words that only it deserves.`
    );
  });
  const rest = siblings.length - lines.length;
  return rest > 0 ? [...lines, `${rest} more pairs of tools became alike.`] : lines;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
