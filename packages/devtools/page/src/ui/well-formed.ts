/** Replaces lone surrogates, which servers can send in JSON, because `encodeURIComponent` throws for them. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Decodes a part of a URI. Invalid parts are returned unchanged. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Typed by hand, so it may be invalid.
    return text;
  }
}
