/** Splits a name into lower-case words, at separators and changes of case. */
export function wordsOf(name: string): string[] {
  return (
    name
      .slice(0, 256)
      .match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|\p{L}+/gu)
      ?.map((word) => word.toLowerCase()) ?? []
  );
}

const reads =
  'get list read search find fetch show view describe lookup query count check inspect retrieve download peek';
const destroys = 'delete remove destroy drop purge erase wipe truncate uninstall revoke clear reset';
const writes =
  'create add update edit modify write insert set send post put patch rename move upload publish merge';

const readVerbs = new Set(reads.split(' '));
const destructiveVerbs = new Set(destroys.split(' '));
const writeVerbs = new Set(writes.split(' '));

/** Derives the effect from a name: `get_user` reads, `delete_user` destroys, `update_user` writes. */
export function effectOf(name: string): 'read' | 'destroy' | 'write' | undefined {
  const words = wordsOf(name);
  // The verb may be first or last: `delete_user`, `users.delete`.
  for (const word of [words[0], words.at(-1)]) {
    if (word === undefined) continue;
    if (destructiveVerbs.has(word)) return 'destroy';
    if (readVerbs.has(word)) return 'read';
    if (writeVerbs.has(word)) return 'write';
  }
  return undefined;
}

/** Joins names for a message: all of a few, otherwise the first ones and how many more there are. */
export function listSome(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => `"${name.slice(0, 80)}"`);
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}
