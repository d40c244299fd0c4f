/** Replaces halves of characters, which servers can send in JSON, because `encodeURIComponent` throws for them. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Decodes a part of an address. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The address was typed by hand.
    return text;
  }
}
