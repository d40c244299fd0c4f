/**
 * Shortens a text by meaning: it leaves out sentences and list items from the end, and never cuts inside a word unless the text has one
 * word only. The first sentence stays, cut at a word if it is too long.
 */
export function shortenText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = limit - 2;
  let end = 0;
  for (const match of text.slice(0, room + 1).matchAll(/[.!?](?=\s)|[。！？]|\n/g)) {
    const at = match[0] === '\n' ? match.index : match.index + match[0].length;
    if (at <= room) end = at;
  }
  const sentences = text.slice(0, end).trimEnd();
  // A short head would lose more than a cut sentence does.
  if (sentences.length >= limit / 3) return `${sentences} …`;
  return `${cutAtWord(text, limit - 1)}…`;
}

function cutAtWord(text: string, limit: number): string {
  const head = text.slice(0, limit);
  // The cut falls between two words already.
  if (/\s/.test(text.charAt(limit))) return head.trimEnd();
  const space = head.search(/\s\S*$/);
  const isSpaced = space > limit / 2;
  const cut = isSpaced ? head.slice(0, space).trimEnd() : head;
  // A surrogate pair is one character.
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
