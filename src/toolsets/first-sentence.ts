const MAX_LENGTH = 160;

/** What a description begins with, in one line that is not too long. */
export function firstSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const end = line.search(/[.!?](?= [A-Z])/);
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  if (sentence.length <= MAX_LENGTH) return sentence;
  const cut = sentence.slice(0, MAX_LENGTH);
  const space = cut.lastIndexOf(' ');
  return `${space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut}…`;
}
