import { parseForeignJson } from '@toolfold/schema/internal';
import type { ContentBlock, TextContent } from '../../protocol/tool-result.js';
import { indentedLength } from '../../values/value-text.js';
import { clip } from './describe-cuts.js';
import { PlainText, Whole } from './shrink-value.js';
import { countedParts, isBinary, roomOf, usageOfContent } from './output-budget.js';
import type { OutputBudget } from './output-budget.js';

/** A content block as a value that can be cut. `withValue` puts the cut value back into the block. */
export interface ContentPart {
  readonly block: ContentBlock;
  readonly value: unknown;
  readonly withValue: (value: unknown) => ContentBlock;
}

/** Texts that hold JSON are cut as data, other texts as text. Texts of errors are never read as data. */
export function toPart(block: ContentBlock, isError: boolean, budget: OutputBudget): ContentPart {
  if (block.type === 'text') {
    const data = isError ? undefined : readJsonText(block.text);
    if (data)
      return {
        block,
        value: data.value,
        withValue: (value) => ({ ...block, text: data.write(value) }),
      };
    const text = new PlainText(block.text);
    return { block, value: text, withValue: (value) => ({ ...block, text: (value as PlainText).text }) };
  }
  if (block.type === 'resource' && 'text' in block.resource) {
    const { resource } = block;
    const withValue = (value: unknown): ContentBlock => ({
      ...block,
      resource: { ...resource, text: (value as PlainText).text },
    });
    return { block, value: new PlainText(block.resource.text), withValue };
  }
  return keepWhole(block, budget);
}

/** Creates a part that is never cut inside, such as an image. */
export function keepWhole(block: ContentBlock, budget: OutputBudget): ContentPart {
  const size = usageOfContent(budget, [block]) * roomOf(budget);
  return { block, value: new Whole(size), withValue: () => block };
}

/** Finds the text block that repeats the structured content, because both must be cut alike. */
export function findMirror(
  content: readonly ContentBlock[],
  { data, json }: { readonly data: unknown; readonly json: string },
  write: ((value: unknown) => string) | undefined,
): { readonly index: number; readonly part: ContentPart } | undefined {
  // A plain string is cut as text.
  if (typeof data !== 'object' || data === null) return undefined;
  const texts = content.map((block) => (block.type === 'text' ? block.text : undefined));
  // Deep nesting makes indented JSON very long, so it is written only if some block has exactly its length.
  const indentedSize = indentedLength(json);
  const writers = [
    { write: toJson, find: () => texts.indexOf(json) },
    {
      write: toPrettyJson,
      find: () => texts.findIndex((text) => text?.length === indentedSize && text === toPrettyJson(data)),
    },
    ...(write ? [{ write, find: () => texts.indexOf(write(data)) }] : []),
  ];
  for (const writer of writers) {
    const index = writer.find();
    const block = content[index];
    if (block?.type !== 'text') continue;
    const withValue = (value: unknown): ContentBlock => ({ ...block, text: writer.write(value) });
    return { index, part: { block, value: data, withValue } };
  }
  return undefined;
}

/** Finds the binary blocks that do not fit beside the other blocks. Texts may claim up to half of the budget. */
export function findOversizedBinaries(
  content: readonly ContentBlock[],
  budget: OutputBudget,
): ReadonlySet<ContentBlock> {
  const binaries = content.filter(isBinary);
  const texts = content.filter((block) => !isBinary(block));
  let usage = Math.min(usageOfContent(budget, texts), 0.5);
  return new Set(
    binaries.filter((block) => {
      const own = usageOfContent(budget, [block]);
      if (usage + own > 1) return true;
      usage += own;
      return false;
    }),
  );
}

export function describeDropped(block: ContentBlock): TextContent {
  const { mimeType } = block.type === 'resource' ? block.resource : (block as { mimeType?: string });
  const kind = block.type === 'resource' ? 'blob' : block.type;
  const size = countedParts(block).binaries.reduce((sum, data) => sum + Math.floor((data.length * 3) / 4), 0);
  const type = mimeType === undefined ? '' : ` (${clip(mimeType)})`;
  return { type: 'text', text: `[${kind}${type} of ${size} bytes left out: above the output limit]` };
}

/** Marks a number that is carried as a string. Texts do not use this private character. */
const MARK = '\u{f1f1f}';

/**
 * Reads a text that is a JSON list or object, and returns a function that writes it in the same layout. JavaScript would
 * round numbers of 15 or more digits, so these are carried as marked strings.
 */
function readJsonText(text: string): { value: unknown; write: (value: unknown) => string } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseForeignJson(text);
  if (value === undefined) return undefined;
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(text)?.[1];
  const write = (part: unknown): string => JSON.stringify(part, null, indent);
  if (!/\d[\d.]{14}/.test(text) || text.includes(MARK)) return { value, write };
  // The text is valid JSON, so every quote is closed and the pattern never backtracks.
  const marked = text.replaceAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.]{14,}(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${MARK}${token}"`,
  );
  return {
    value: JSON.parse(marked),
    write: (part) => write(part).replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'gu'), '$1'),
  };
}

export function toJson(value: unknown): string {
  return JSON.stringify(value);
}

function toPrettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
