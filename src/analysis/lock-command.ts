import { LOCKFILE } from './diff/lockfile.js';
import { quote } from './quote-word.js';

/** The command line that writes a lockfile, for a POSIX shell. `words` name the server: a file, a URL, or `--` and a command. */
export function lockCommand(words: readonly string[], lockfile: string = LOCKFILE): string {
  const output = lockfile === LOCKFILE ? [] : ['--output', lockfile];
  return ['npx', 'toolfold', 'lock', ...output, ...words].map(quote).join(' ');
}
