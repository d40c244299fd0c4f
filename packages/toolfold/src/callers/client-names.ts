import type { Rules } from '@toolfold/schema/internal';
import type { Caller } from './caller.js';

export interface NamedClient {
  readonly name: string;
  readonly since?: string | undefined;
}

/** Longer names and versions are cut before they are compared, because a client may report anything. */
const MAX_COMPARED = 200;

/** Finds the first row that applies to the name and version that a client reports. */
export function findNamed<Row extends NamedClient>(
  rows: readonly Row[],
  client: Caller['client'],
): Row | undefined {
  const name = textOf(client?.name).toLowerCase();
  const version = textOf(client?.version);
  return rows.find((row) => isNamed(row.name.toLowerCase(), name) && isSince(row.since, version));
}

/** Reads a field of `clientInfo`, whose type a client can get wrong. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_COMPARED) : '';
}

function isNamed(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Compares the parts of a version as numbers: 2.1.10 is later than 2.1.7. */
function isSince(since: string | undefined, version: string): boolean {
  if (since === undefined) return true;
  const [least, given] = [since, version].map((each) =>
    (/\d+(?:\.\d+)*/.exec(each)?.[0] ?? '').split('.').map(Number),
  );
  if (!least || !given || given[0] === undefined || version === '') return false;
  for (const [at, number] of least.entries()) {
    const own = given[at] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

export const namedClientRules: Rules<keyof NamedClient> = {
  name: [
    (value) => typeof value === 'string' && value !== '',
    'the name of a client, such as "claude-code" or "cursor*"',
  ],
  since: [(value) => typeof value === 'string' && /^\d+(?:\.\d+)*$/.test(value), 'a version such as "2.1.7"'],
};
