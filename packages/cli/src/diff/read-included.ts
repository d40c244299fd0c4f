import { UsageError } from '@toolfold/analysis/internal';
import type { EntryKind } from '@toolfold/analysis/internal';
import { readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';

export const includeSpecs: OptionSpecs = {
  include: {
    value: 'prompts,resources',
    isRepeatable: true,
    help: 'Lock the prompts or resources of a running server too',
  },
};

/** Reads `--include`. `resources` includes resource templates. */
export function readIncluded({ options }: ReadArguments): readonly EntryKind[] {
  return [...new Set(readList(options.get('include')))].flatMap((word): EntryKind[] => {
    if (word === 'prompts') return ['prompts'];
    if (word === 'resources') return ['resources', 'templates'];
    throw new UsageError(`--include must be prompts or resources, not "${word}".`);
  });
}
