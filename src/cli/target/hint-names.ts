import { didYouMean, listNames } from '../../schema/validate/describe-issues.js';
import { nearestName } from '../../values/nearest-name.js';
import { toLine } from '../terminal/output.js';

/** What may have been meant by a name that is not there, or which names there are. */
export function hintNames(written: string, known: readonly string[]): string {
  const nearest = nearestName(written, known);
  if (nearest !== undefined) return didYouMean(toLine(nearest, 100)).trim();
  return known.length === 0
    ? 'There are none.'
    : `There are: ${listNames(known.map((name) => toLine(name, 100)))}.`;
}
