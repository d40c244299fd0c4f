/** How many bytes a text takes in UTF-8. */
export function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // The two halves of a pair are four bytes together; a lone half is sent as U+FFFD, which is three.
    if (isHigh(code) && isLow(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

/** About how many tokens a text takes, as `OutputBudget` has it. */
export function estimateTokens(text: string): number {
  let twelfths = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x800) twelfths += 12;
    else if (code >= 0x80) twelfths += 6;
    else if ((code | 32) >= 97 && (code | 32) <= 122) twelfths += 3;
    else if (code === 32) twelfths += 3;
    else twelfths += code >= 48 && code <= 57 ? 4 : 6;
  }
  return Math.ceil(twelfths / 12);
}

/** How many code points a text has. */
export function countCharacters(text: string): number {
  if (!/[\uD800-\uDBFF]/.test(text)) return text.length;
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (splitsPair(text, index)) count--;
  }
  return count;
}

/** About what a text takes in JSON. */
export function sizeOfText(text: string): number {
  let size = 2;
  for (let index = 0; index < text.length; index++) size += sizeOfCode(text.charCodeAt(index));
  return size;
}

/** About what a character takes in JSON. It steers the cutting; what counts is the text as written. */
export function sizeOfCode(code: number): number {
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return code < 0x20 || code === 0x22 || code === 0x5c ? 2 : 1;
}

/** Whether a place is inside a code point. */
export function splitsPair(text: string, at: number): boolean {
  return isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
