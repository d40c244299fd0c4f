const MAX_TEXT = 400;

/** Splits an identifier into lower-case words. `listUserRepos`, `list-user-repos` and `ListUser_repos` yield the same three. */
export function wordsOf(identifier: string): string[] {
  return (
    identifier
      .slice(0, MAX_TEXT)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/['’]/g, '')
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      // An acronym may have a plural or a version: URLs, IPv6.
      .replaceAll(/([A-Z])([A-Z](?!s(?![a-z])|v\d)[a-z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '')
  );
}

/** Returns the singular of an English word, precise enough to compare names. */
function singular(word: string): string {
  if (word.length > 3 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 2 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

export function isSameWord(left: string, right: string): boolean {
  return left === right || singular(left) === singular(right);
}
