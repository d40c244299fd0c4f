import { sizeOfCode, splitsPair } from './measure-text.js';

/** The beginning of a text within a size, but at least so long. */
export function cutText(text: string, room: number, least: number): string {
  let end = 0;
  for (let size = 2; end < text.length; end++) {
    size += sizeOfCode(text.charCodeAt(end));
    if (size > room) break;
  }
  if (end <= least) return text.slice(0, endOfCharacter(text, least));
  const line = text.lastIndexOf('\n', end);
  if (line >= least && line > end * 0.8) return text.slice(0, line);
  const edge = startOfCharacter(text, end);
  return edge >= least ? text.slice(0, edge) : text.slice(0, endOfCharacter(text, least));
}

/** The nearest place at or after another that is inside no code point. */
export function endOfCharacter(text: string, end: number): number {
  return splitsPair(text, end) ? end + 1 : end;
}

/** So much around a place is asked for the character that it is in. */
const NEARBY = 64;
let segmenter: Intl.Segmenter | undefined;

/** The nearest place at or before another that is inside no character as people see them. */
function startOfCharacter(text: string, end: number): number {
  // Asking is slow, and nothing below U+0300 joins what stands before it.
  if (end >= text.length || (text.charCodeAt(end) < 0x300 && text.charCodeAt(end - 1) < 0x300)) return end;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = Math.max(0, end - NEARBY);
  const around = segmenter.segment(text.slice(start, end + NEARBY)).containing(end - start);
  if (around && around.index > 0) return start + around.index;
  return endOfCharacter(text, end - 1);
}
