import { clip, followPointer, isJsonObject } from '@toolfold/schema/internal';
import type { SpecObject } from './read-document.js';

/**
 * Thrown for a part of the specification that prevents an operation from being offered. The message ends a sentence that begins with "it".
 */
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

export function follow(document: SpecObject, reference: string): unknown {
  if (!reference.startsWith('#'))
    throw new NotOffered(
      `refers to ${show(reference)} outside the specification, and nothing is fetched: bundle the files into one`,
    );
  const target = followPointer(document, reference);
  if (target === undefined) throw new NotOffered(`refers to ${show(reference)}, which does not exist`);
  return target;
}

export function resolveObject(document: SpecObject, value: unknown): SpecObject {
  const found = resolve(document, value);
  return isJsonObject(found) ? found : {};
}

function show(reference: string): string {
  return JSON.stringify(clip(reference, 100));
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
