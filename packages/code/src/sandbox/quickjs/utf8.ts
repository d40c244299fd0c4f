const encoder = new TextEncoder();

/** Whether a text takes more than `limit` bytes of UTF-8. Encodes only texts that might. */
export function hasMoreBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && encoder.encode(text).length > limit;
}

/** Cuts a text to a number of bytes, without leaving half a character. */
export function cutBytes(text: string, limit: number): { readonly text: string; readonly bytes: number } {
  const buffer = new Uint8Array(Math.max(0, Math.min(limit, text.length * 3)));
  const { read, written } = encoder.encodeInto(text, buffer);
  return { text: read === text.length ? text : text.slice(0, read), bytes: written };
}
