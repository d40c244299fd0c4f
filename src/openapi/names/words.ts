const MAX_TEXT = 400;

/** The words of an identifier in lower case: `listUserRepos`, `list-user-repos` and `ListUser_repos` have the same three. */
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

/** The singular of an English word, as far as comparing names needs it. */
function singular(word: string): string {
  if (word.length > 3 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 2 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Whether two words are equal, or one is the plural of the other. */
export function isSameWord(left: string, right: string): boolean {
  return left === right || singular(left) === singular(right);
}
