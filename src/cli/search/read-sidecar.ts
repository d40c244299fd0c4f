import type { SearchSidecar } from '../../search.js';
import { findSidecarProblem } from '../../search/form/sidecar.js';
import { describeUnknownAddresses } from '../../search/form/unknown-addresses.js';
import type { OptionSpecs } from '../terminal/read-arguments.js';
import { CommandError } from '../../analysis/command-error.js';
import { readJson } from './read-json.js';

/** The file that `toolfold search draft` writes. */
export const SEARCH_FILE = 'search.json';

/** The option of commands that read a search file. */
export const searchFileSpecs: OptionSpecs = {
  'search-file': { value: 'file', help: 'Keywords by address, as toolfold search draft writes them' },
};

/** Reads a search file. It is checked, because people, models and merges edit it. */
export function readSidecarFile(file: string): SearchSidecar {
  const sidecar = readJson(file, 'Write it with toolfold search draft.');
  const problem = findSidecarProblem(sidecar);
  if (problem !== undefined) throw new CommandError(`${file}: ${problem.replace(/^[. ]/, '')}`);
  return sidecar as SearchSidecar;
}

/** Warns once of addresses in a search file that no tool has. */
export function warnOfUnknownAddresses(
  file: string,
  sidecar: SearchSidecar,
  known: ReadonlySet<string>,
  warn: (message: string) => void,
): void {
  const unknown = Object.keys(sidecar.tools).filter((address) => !known.has(address));
  if (unknown.length > 0) warn(describeUnknownAddresses(file, unknown, known));
}
