/**
 * Shortens a text by meaning: it leaves out sentences and list items from the end, and never cuts inside a word unless the text has one
 * word only. The first sentence stays, cut at the end of a clause or of a word if it is too long.
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
  return `${cutAtClause(text, limit - 1)}…`;
}

/** Places at which a sentence can end early: punctuation, and words that begin a further part. */
const PUNCTUATION = /[,;:](?=\s)|\s(?=[(–—-])/g;
const CONNECTIVE =
  /\s(?=(?:and|as|at|because|before|by|for|from|if|in|into|of|on|or|so|such|than|that|to|when|where|which|with|within|without)\s)/g;

function cutAtClause(text: string, limit: number): string {
  const head = text.slice(0, limit);
  for (const [places, share] of [
    [PUNCTUATION, 1 / 2],
    [CONNECTIVE, 1 / 3],
  ] as const) {
    const end = [...head.matchAll(places)].at(-1)?.index ?? 0;
    const clause = head.slice(0, end).trimEnd();
    const isQuoteOpen = clause.split('`').length % 2 === 0;
    if (end >= limit * share && !isQuoteOpen) return clause;
  }
  return cutAtWord(text, limit);
}

function cutAtWord(text: string, limit: number): string {
  const head = text.slice(0, limit);
  // The cut already falls between two words.
  if (/\s/.test(text.charAt(limit))) return head.trimEnd();
  // Cut at commas too, because lists such as `users (list,create)` have no spaces.
  const space = Math.max(head.search(/\s\S*$/), head.lastIndexOf(','));
  const isSpaced = space > limit / 2;
  const cut = isSpaced ? head.slice(0, space).trimEnd() : head;
  // Do not cut a surrogate pair in half.
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
