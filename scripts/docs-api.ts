/** Reads the public API: the exports of every entry point, unexported types in their signatures, and missing comments. */
import { exportsOf, resolve } from './docs-read-declarations.js';
import { packageFolders, readManifest } from './packages.js';
import type { Declaration } from './docs-read-declarations.js';
import type { Member } from './docs-read-members.js';

export interface Entry {
  /** The import specifier: `toolfold/node`. */
  readonly from: string;
  readonly exports: ReadonlyMap<string, Declaration>;
}

/** The entry points of all packages except `/internal`, which is for sibling packages only. The framework comes first. */
export function readEntries(): readonly Entry[] {
  const folders = ['toolfold', ...packageFolders.filter((folder) => folder !== 'toolfold')];
  return folders.flatMap((folder) => {
    const { name, exports = {} } = readManifest(folder);
    return Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' || path === './internal'
        ? []
        : [
            {
              from: `${name}${path.slice(1)}`,
              exports: exportsOf(`packages/${folder}/${target.types.slice(2)}`),
            },
          ],
    );
  });
}

/** The bases of a declaration that belong to the workspace. */
export function basesOf({ source, bases }: Declaration): readonly Declaration[] {
  return bases.flatMap((name) => (name.endsWith('_base') ? [] : (resolve(source, name) ?? [])));
}

/**
 * Types in signatures of exports that are not exported themselves, each with the export that mentions it first. The
 * types that these mention in turn are included only for types whose name ends with `Options`.
 */
export function unexported(exports: Iterable<Declaration>): ReadonlyMap<Declaration, Declaration> {
  const all = new Set(exports);
  const found = new Map<Declaration, Declaration>();
  const follow = (declaration: Declaration, by: Declaration): void => {
    for (const name of declaration.mentions) {
      const mentioned = resolve(declaration.source, name);
      if (!mentioned || mentioned === declaration || all.has(mentioned) || found.has(mentioned)) continue;
      // The compiler names the base of a class that extends an expression.
      if (mentioned.name.endsWith('_base')) continue;
      // An unexported base has no entry, because the declaration that inherits its members shows them.
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

/** Names without a comment: the declaration itself, and members whose base has no comment either. */
export function undocumented(declaration: Declaration): readonly string[] {
  if (isErrorOfTable(declaration)) return [];
  const { name, doc, members, source } = declaration;
  // The types of the constructor's parameters document the properties of a class.
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
