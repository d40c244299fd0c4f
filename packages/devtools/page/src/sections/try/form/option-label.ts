import { isRecord } from './json.js';
import type { JsonObject } from './json.js';
import { followReference } from '../../../ui/schema/resolve-schema.js';

const MAX_DEPTH = 5;

/** Returns the name of a union's alternative: its title, its distinguishing constant, or its type. */
export function labelOption(option: unknown, index: number, root: JsonObject, depth = 0): string {
  const fallback = `Alternative ${index + 1}`;
  if (!isRecord(option) || depth > MAX_DEPTH) return fallback;
  const { title, $ref, allOf, type, properties } = option;
  if (typeof title === 'string' && title !== '') return title;
  if (typeof $ref === 'string') {
    const name = /([^/]+)$/.exec($ref)?.[1];
    const label = labelOption(followReference($ref, root), index, root, depth + 1);
    return label === fallback || label === 'object' ? (name ?? label) : label;
  }
  if ('const' in option) return JSON.stringify(option['const']);
  if (isRecord(properties)) {
    const fixed = Object.entries(properties).find(([, each]) => isRecord(each) && 'const' in each);
    if (fixed) return `${fixed[0]}: ${String((fixed[1] as JsonObject)['const'])}`;
  }
  if (Array.isArray(allOf)) {
    for (const part of allOf.toReversed()) {
      const label = labelOption(part, index, root, depth + 1);
      if (label !== fallback) return label;
    }
  }
  if (isRecord(properties)) {
    const names = Object.keys(properties).slice(0, 3);
    if (names.length > 0) return `object with ${names.join(', ')}`;
  }
  if (typeof type === 'string') return type;
  return fallback;
}
