import { decodeFragment, isJsonObject, joinPointer } from '@toolfold/schema/internal';
import type { Item } from './finding.js';
import { inputNodes } from './tool-parts.js';

/** Finds definitions that no reference leads to, as `$defs/name`. Returns none if a reference is not a JSON pointer. */
export function unusedDefinitions(item: Pick<Item, 'inputSchema'>): string[] {
  const names = ['$defs', 'definitions'].flatMap((keyword) => {
    const own = item.inputSchema[keyword];
    return isJsonObject(own) ? Object.keys(own).map((name) => joinPointer(keyword, name)) : [];
  });
  if (names.length === 0) return [];
  const known = new Set(names);
  /** Maps each definition to those that it uses. The empty key is the rest of the schema. */
  const uses = new Map<string, Set<string>>();
  for (const { pointer, schema } of inputNodes(item)) {
    if (schema['$dynamicRef'] !== undefined || schema['$id'] !== undefined) return [];
    const reference = schema['$ref'];
    if (typeof reference !== 'string') continue;
    const path = reference.replace(/^#\/?/, '');
    const target = definitionAt(decodeFragment(path) ?? path);
    if (!reference.startsWith('#/')) {
      if (reference === '#') continue;
      return [];
    }
    const holder = definitionAt(pointer.replace('/inputSchema/', ''));
    const from = known.has(holder) ? holder : '';
    uses.set(from, (uses.get(from) ?? new Set()).add(target));
  }
  const reached = new Set<string>();
  const waiting = [''];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const target of uses.get(next) ?? [])
      if (!reached.has(target)) {
        reached.add(target);
        waiting.push(target);
      }
  return names.filter((name) => !reached.has(name));
}

function definitionAt(pointer: string): string {
  return pointer.split('/').slice(0, 2).join('/');
}
