/** Replaces halves of characters, which servers can send in JSON, because `encodeURIComponent` throws for them. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
