import { didYouMean, listNames, nearestName } from '@toolfold/schema/internal';
import { toLine } from 'toolfold/internal';
import { UsageError } from '../command-error.js';

export function assertKnown(kind: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new UsageError(`The server has no ${kind} "${name}". ${hintNames(name, known)}`);
}

export function hintNames(written: string, known: readonly string[]): string {
  const nearest = nearestName(written, known);
  if (nearest !== undefined) return didYouMean(toLine(nearest, 100)).trim();
  return known.length === 0
    ? 'None are available.'
    : `Available: ${listNames(known.map((name) => toLine(name, 100)))}.`;
}
