/** What the package offers: every export of every entry point, what of it has no comment, and which page it is on. */
import { readFileSync } from 'node:fs';
import { exportsOf, resolve } from './docs-read-declarations.js';
import type { Declaration } from './docs-read-declarations.js';
import type { Member } from './docs-read-members.js';

export interface Entry {
  /** What one imports from: `toolfold/node`. */
  readonly from: string;
  readonly exports: ReadonlyMap<string, Declaration>;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The entry points of package.json, in its order. */
export function readEntries(): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  return Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ from: `${manifest.name}${path.slice(1)}`, exports: exportsOf(target.types.slice(2)) }],
  );
}

/** What one extends, implements or is made from, as far as it is ours. */
export function basesOf({ source, bases }: Declaration): readonly Declaration[] {
  return bases.flatMap((name) => resolve(source, name) ?? []);
}

/**
 * Types that signatures of exports mention and that have no export of their own, each with who mentions it first. Of what
 * these mention in turn, only what is an option of theirs.
 */
export function unexported(exports: Iterable<Declaration>): ReadonlyMap<Declaration, Declaration> {
  const all = new Set(exports);
  const found = new Map<Declaration, Declaration>();
  const follow = (declaration: Declaration, by: Declaration): void => {
    for (const name of declaration.mentions) {
      const mentioned = resolve(declaration.source, name);
      if (!mentioned || mentioned === declaration || all.has(mentioned) || found.has(mentioned)) continue;
      // What is inherited is shown where it is.
      if (declaration.bases.includes(name)) follow(mentioned, by);
      else if (mentioned.kind === 'interface' || mentioned.kind === 'type') {
        found.set(mentioned, by);
        if (mentioned.name.endsWith('Options')) follow(mentioned, by);
      }
    }
  };
  for (const declaration of all) follow(declaration, declaration);
  return found;
}

/** An error is explained by its row of the error table. */
export function isErrorOfTable({ name, kind }: Declaration): boolean {
  return kind === 'class' && /^Err[A-Z]/.test(name) && name !== 'ErrorHandler';
}

/** The names of what has no comment: the declaration itself, and members of it whose base says nothing either. */
export function undocumented(declaration: Declaration): readonly string[] {
  if (isErrorOfTable(declaration)) return [];
  const { name, doc, members, source } = declaration;
  // What a class is made from says what its properties are.
  const made = members.find((member) => member.name === 'constructor')?.text.match(/\w+/g) ?? [];
  const known = new Set(
    [...basesOf(declaration), ...made.flatMap((word) => resolve(source, word) ?? [])].flatMap(explainedBy),
  );
  const silent = (list: readonly Member[], prefix: string, toldElsewhere = new Set<string>()): string[] => {
    const told = new Set([...toldElsewhere, ...list.filter(isExplained).map((member) => member.name)]);
    return list.flatMap((member) => [
      ...(told.has(member.name) || member.name === 'constructor' ? [] : [`${prefix}${member.name}`]),
      ...silent(member.members, `${prefix}${member.name}.`),
    ]);
  };
  return [...(doc === '' ? [name] : []), ...silent(members, `${name}.`, known)];
}

function isExplained({ doc, fallback }: Member): boolean {
  return doc !== '' || fallback !== undefined;
}

function explainedBy(declaration: Declaration): readonly string[] {
  return [
    ...declaration.members.filter(isExplained).map(({ name }) => name),
    ...basesOf(declaration).flatMap(explainedBy),
  ];
}
