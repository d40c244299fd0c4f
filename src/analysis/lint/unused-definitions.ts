import { isJsonObject } from '../../values/json-value.js';
import type { Item } from './finding.js';
import { escape, inputNodes } from './walk-schema.js';

/** Definitions that no reference leads to, as `$defs/name`. Empty if the schema has references that are not pointers. */
export function unusedDefinitions(item: Pick<Item, 'inputSchema'>): string[] {
  const names = ['$defs', 'definitions'].flatMap((keyword) => {
    const own = item.inputSchema[keyword];
    return isJsonObject(own) ? Object.keys(own).map((name) => `${keyword}/${escape(name)}`) : [];
  });
  if (names.length === 0) return [];
  const known = new Set(names);
  /** The definitions that each definition uses; those that the rest of the schema uses have an empty key. */
  const uses = new Map<string, Set<string>>();
  for (const { pointer, schema } of inputNodes(item)) {
    if (schema['$dynamicRef'] !== undefined || schema['$id'] !== undefined) return [];
    const reference = schema['$ref'];
    if (typeof reference !== 'string') continue;
    const target = definitionAt(decode(reference.replace(/^#\/?/, '')));
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
