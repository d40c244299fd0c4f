import { lstatSync, readFileSync } from 'node:fs';
import type { SearchSidecar } from '../../../search.js';
import { replaceFile } from '../../../analysis/replace-file.js';
import { CommandError } from '../../../analysis/command-error.js';

/** Formats a search file: one line for each list, and addresses in order, so that versions can be compared. */
export function writeSidecar({ tools }: SearchSidecar): string {
  const entries = Object.entries(tools)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([address, { keywords = [], examples = [] }]) => {
      const lists = [
        `"keywords": ${writeList(keywords)}`,
        ...(examples.length > 0 ? [`"examples": ${writeList(examples)}`] : []),
      ];
      return `    ${JSON.stringify(address)}: {\n      ${lists.join(',\n      ')}\n    }`;
    });
  const all = entries.length > 0 ? `{\n${entries.join(',\n')}\n  }` : '{}';
  return `{\n  "version": 1,\n  "tools": ${all}\n}\n`;
}

function writeList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}

/**
 * Writes a file. A symbolic link is not followed, because it may lead to a file that
 * the user did not name. `mayReplace` decides about the contents of an existing file.
 */
export function saveFile(
  file: string,
  text: string,
  mayReplace: (old: string) => boolean = () => true,
): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile())
    throw new CommandError(`${file} is not a regular file, so it is not replaced.`);
  if (there && !mayReplace(readFileSync(file, 'utf8')))
    throw new CommandError(`${file} has other contents, so it is not replaced. Choose another file.`);
  try {
    replaceFile(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
