import { UsageError } from '../../analysis/command-error.js';
import type { EntryKind } from '../../analysis/diff/surface-entries.js';
import { readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';

/** The option of `lock` that adds entries to a lockfile. */
export const includeSpecs: OptionSpecs = {
  include: {
    value: 'prompts,resources',
    isRepeatable: true,
    help: 'Lock the prompts or resources of a running server too',
  },
};

/** Reads `--include`. Resource templates belong to resources. */
export function readIncluded({ options }: ReadArguments): readonly EntryKind[] {
  return [...new Set(readList(options.get('include')))].flatMap((word): EntryKind[] => {
    if (word === 'prompts') return ['prompts'];
    if (word === 'resources') return ['resources', 'templates'];
    throw new UsageError(`--include must be prompts or resources, not "${word}".`);
  });
}
