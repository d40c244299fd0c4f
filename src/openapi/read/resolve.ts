import { followPointer } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';
import { clip } from '../../values/nearest-name.js';
import type { SpecObject } from './read-document.js';

/** A part of the specification because of which an operation cannot be offered. The message is the end of a sentence: "it …". */
export class NotOffered extends Error {}

const MAX_CHAIN = 50;

/** Follows references inside the document until there is none. Nothing is fetched. */
export function resolve(document: SpecObject, value: unknown): unknown {
  let found = value;
  for (let step = 0; isJsonObject(found) && typeof found['$ref'] === 'string'; step++) {
    if (step >= MAX_CHAIN)
      throw new NotOffered(`has a reference that leads to itself: ${show(found['$ref'])}`);
    found = follow(document, found['$ref']);
  }
  return found;
}

/** The value that one reference points to. */
export function follow(document: SpecObject, reference: string): unknown {
  if (!reference.startsWith('#'))
    throw new NotOffered(
      `refers to ${show(reference)} outside the specification, and nothing is fetched: bundle the files into one`,
    );
  const target = followPointer(document, reference);
  if (target === undefined) throw new NotOffered(`refers to ${show(reference)}, which does not exist`);
  return target;
}

/** A resolved object, or an empty one for anything else. */
export function resolveObject(document: SpecObject, value: unknown): SpecObject {
  const found = resolve(document, value);
  return isJsonObject(found) ? found : {};
}

function show(reference: string): string {
  return JSON.stringify(clip(reference, 100));
}

/** The entries of a map of the specification; none if it is something else. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
