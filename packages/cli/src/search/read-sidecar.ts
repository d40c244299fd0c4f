import type { SearchSidecar } from '@toolfold/search';
import { describeUnknownAddresses, findSidecarProblem } from '@toolfold/search/internal';
import type { OptionSpecs } from '../terminal/read-arguments.js';
import { CommandError } from '@toolfold/analysis/internal';
import { readJson } from './read-json.js';

/** Default name of the file that `toolfold search draft` writes. */
export const SEARCH_FILE = 'search.json';

export const searchFileSpecs: OptionSpecs = {
  'search-file': { value: 'file', help: 'Keywords by address, as toolfold search draft writes them' },
};

/** Reads and validates a search file, because people, models and merges edit it. */
export function readSidecarFile(file: string): SearchSidecar {
  const sidecar = readJson(file, 'Write it with toolfold search draft.');
  const problem = findSidecarProblem(sidecar);
  if (problem !== undefined) throw new CommandError(`${file}: ${problem.replace(/^[. ]/, '')}`);
  return sidecar as SearchSidecar;
}

export function warnOfUnknownAddresses(
  file: string,
  sidecar: SearchSidecar,
  known: ReadonlySet<string>,
  warn: (message: string) => void,
): void {
  const unknown = Object.keys(sidecar.tools).filter((address) => !known.has(address));
  if (unknown.length > 0) warn(describeUnknownAddresses(file, unknown, known));
}
