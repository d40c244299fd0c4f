import { core } from 'zod';

/** What Zod adds to formats that say the same to a reader. Others, such as that of date-time, say more. */
const patterns: ReadonlyMap<unknown, string> = new Map([
  ['email', core.regexes.email.source],
  ['uuid', core.regexes.uuid().source],
  ['date', core.regexes.date.source],
  ['ipv4', core.regexes.ipv4.source],
  ['ipv6', core.regexes.ipv6.source],
]);

/**
 * Takes words away that tell a model nothing: the range in which every number is exact, and the pattern beside a format
 * that has a name. Values are validated by the library, which knows both.
 */
export function sayLess(schema: {
  type?: unknown;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}): void {
  if (schema.type === 'integer') {
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  }
  if (schema.pattern !== undefined && patterns.get(schema.format) === schema.pattern) delete schema.pattern;
}
