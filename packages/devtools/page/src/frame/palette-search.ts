import type { TreeNode } from '../../../src/page-api.js';
import type { SectionKey } from '../routes.js';

export type PaletteEntry =
  | { readonly kind: 'section'; readonly key: SectionKey; readonly title: string }
  | {
      readonly kind: 'tool' | 'action';
      readonly address: string;
      readonly description: string;
    };

/** Lists everything that the palette can open. A tool of two toolsets is one entry. */
export function paletteEntries(
  nodes: readonly TreeNode[],
  sections: readonly { readonly key: SectionKey; readonly title: string }[],
): PaletteEntry[] {
  const entries = new Map<string, PaletteEntry>();
  for (const { kind, address, description = '' } of nodes)
    if (address !== undefined && (kind === 'tool' || kind === 'action'))
      entries.set(address, { kind, address, description });
  return [
    ...sections.map(({ key, title }) => ({ kind: 'section', key, title }) as const),
    ...entries.values(),
  ];
}

/** Ranks the entries for a query. Every word must occur in the address or the description. */
export function findEntries(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const scored: { entry: PaletteEntry; score: number }[] = [];
  for (const entry of entries) {
    const score = scoreOf(entry, words);
    if (score > 0) scored.push({ entry, score });
  }
  // The sort is stable, so equal entries keep the order of the tree.
  return scored.toSorted((one, other) => other.score - one.score).map(({ entry }) => entry);
}

function scoreOf(entry: PaletteEntry, words: readonly string[]): number {
  const name = (entry.kind === 'section' ? entry.title : entry.address).toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  const text = entry.kind === 'section' ? '' : entry.description.toLowerCase();
  let score = 0;
  for (const word of words) {
    const points =
      name === word || last === word
        ? 100
        : name.startsWith(word) || last.startsWith(word)
          ? 60
          : new RegExp(`(?:^|[^a-z0-9])${escape(word)}`).test(name)
            ? 40
            : name.includes(word)
              ? 25
              : text.includes(word)
                ? 10
                : 0;
    if (points === 0) return 0;
    score += points;
  }
  // Among equal matches, prefer the shorter name.
  return score + 1 / (1 + name.length);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
