/**
 * Checks hand-written option tables. Each has a marker above it: `<!-- options: ServeHttpOptions -->` for a table of
 * all options, `<!-- some options: ToolDefinition -->` for a table of some.
 */
import { basesOf, readEntries } from './docs-api.js';
import type { Declaration } from './docs-read-declarations.js';

/** The faults in the tables of a page. */
export function faultsOfTables(markdown: string): readonly string[] {
  const faults: string[] = [];
  for (const [, above = '', head = ''] of markdown.matchAll(/(.*)\n(\| *options?\b.*)\n\|[-|: ]+\n/gi))
    if (!/^<!-- (?:some )?options: /.test(above))
      faults.push(`"${head}" needs a marker above it: <!-- options: SomeOptions -->`);
  for (const [, some, type = '', table = ''] of markdown.matchAll(
    /<!-- (some )?options: (\w+) -->\n((?:\|.*\n?)+)/g,
  )) {
    const known = namesOf(type);
    const given = rowsOf(table);
    const unknown = given.filter((name) => !known.has(name));
    const missing = some ? [] : [...known].filter((name) => !given.includes(name));
    const twice = given.filter((name, at) => given.indexOf(name) !== at);
    if (unknown.length > 0) faults.push(`${type} has no ${unknown.join(', ')}`);
    if (missing.length > 0) faults.push(`the table of ${type} lacks ${missing.join(', ')}`);
    if (twice.length > 0) faults.push(`the table of ${type} has ${twice.join(', ')} twice`);
  }
  return faults;
}

/** The option names in the first column: `select(auth)` and `metadata.annotations` belong to select and metadata. */
function rowsOf(table: string): string[] {
  const names = table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split(/(?<!\\)\|/)[1] ?? '').matchAll(/`([\w.]+)(?:\([^`]*)?`/g)])
    .map(([, name = '']) => name.split('.'));
  // One option may have several rows.
  return names
    .filter(
      ([option, part], at) => part === undefined || names.findIndex(([other]) => other === option) === at,
    )
    .map(([option = '']) => option);
}

function namesOf(type: string): ReadonlySet<string> {
  const found = readEntries().flatMap(({ exports }) => exports.get(type) ?? [])[0];
  if (!found) throw new Error(`A table is about ${type}, which is not exported`);
  const all = (declaration: Declaration): string[] => [
    ...declaration.members.map(({ name }) => name),
    ...basesOf(declaration).flatMap(all),
  ];
  return new Set(all(found));
}
