import { PlainText, Whole } from './cuttable-value.js';
import { readJsonText, toJson, toPrettyJson } from './json-text.js';
import type { OutputBudget } from './output-budget.js';
import { loadOfContent, roomOf } from './output-load.js';
import type { ContentBlock } from '../../protocol/tool-result.js';
import { indentedLength } from '../../values/value-text.js';

/** A block, as something to cut and the way back. */
export interface Slot {
  readonly block: ContentBlock;
  readonly part: unknown;
  readonly withPart: (part: unknown) => ContentBlock;
}

export function toSlot(block: ContentBlock, isError: boolean, budget: OutputBudget): Slot {
  if (block.type === 'text') {
    const data = isError ? undefined : readJsonText(block.text);
    if (data) return { block, part: data.value, withPart: (part) => ({ ...block, text: data.write(part) }) };
    const part = new PlainText(block.text);
    return { block, part, withPart: (cut) => ({ ...block, text: (cut as PlainText).text }) };
  }
  if (block.type === 'resource' && 'text' in block.resource) {
    const { resource } = block;
    const withPart = (part: unknown): ContentBlock => ({
      ...block,
      resource: { ...resource, text: (part as PlainText).text },
    });
    return { block, part: new PlainText(block.resource.text), withPart };
  }
  return keepWhole(block, budget);
}

/** A block that is not cut. */
export function keepWhole(block: ContentBlock, budget: OutputBudget): Slot {
  const size = loadOfContent(budget, [block]) * roomOf(budget);
  return { block, part: new Whole(size), withPart: () => block };
}

/** The text block that repeats the structured content, if there is one, so that both are cut alike. */
export function findMirror(
  content: readonly ContentBlock[],
  { data, json }: { readonly data: unknown; readonly json: string },
  write: ((value: unknown) => string) | undefined,
): { readonly index: number; readonly slot: Slot } | undefined {
  // Text is best cut as text.
  if (typeof data !== 'object' || data === null) return undefined;
  const texts = content.map((block) => (block.type === 'text' ? block.text : undefined));
  // Deep nesting makes indented text very long, so it is written only where some block is exactly as long.
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
    const withPart = (part: unknown): ContentBlock => ({ ...block, text: writer.write(part) });
    return { index, slot: { block, part: data, withPart } };
  }
  return undefined;
}
