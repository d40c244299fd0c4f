import { LOCKFILE } from './diff/lockfile.js';
import { quote } from './quote-word.js';

/** Returns the POSIX command line that writes a lockfile. `words` name the server: a file, a URL, or `--` and a command. */
export function lockCommand(words: readonly string[], lockfile: string = LOCKFILE): string {
  const output = lockfile === LOCKFILE ? [] : ['--output', lockfile];
  return ['npx', 'toolfold', 'lock', ...output, ...words].map(quote).join(' ');
}
