import { PlainText, Whole } from './cuttable-value.js';
import { readJsonText, toJson, toPrettyJson } from './json-text.js';
import { sizeOfText } from './measure-text.js';
import { weigh } from './output-load.js';
import type { ContentBlock } from './tool-result.js';

/** A block, as something to cut and the way back. */
export interface Slot {
  readonly block: ContentBlock;
  readonly part: unknown;
  readonly withPart: (part: unknown) => ContentBlock;
}

export function toSlot(block: ContentBlock, isError: boolean): Slot {
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
  return keepWhole(block);
}

/** A block that stays as it is. */
export function keepWhole(block: ContentBlock): Slot {
  const { texts, binaries } = weigh(block);
  const size = [...texts, ...binaries].reduce((sum, text) => sum + sizeOfText(text), 0);
  return { block, part: new Whole(size), withPart: () => block };
}

/** Finds the text block that repeats the structured content, so that one cut serves both, and tells which it is. */
export function linkMirror(
  slots: Slot[],
  data: unknown,
  write: ((value: unknown) => string) | undefined,
): number {
  // A text is its own writing, and best cut as text.
  if (typeof data !== 'object' || data === null) return -1;
  for (const writer of [toJson, toPrettyJson, ...(write ? [write] : [])]) {
    const text = writer(data);
    const index = slots.findIndex(({ block }) => block.type === 'text' && block.text === text);
    const block = slots[index]?.block;
    if (block?.type !== 'text') continue;
    slots[index] = { block, part: data, withPart: (part) => ({ ...block, text: writer(part) }) };
    return index;
  }
  return -1;
}
