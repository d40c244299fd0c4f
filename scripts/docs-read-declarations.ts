/**
 * Reads the exports of the packages from their declaration files in `dist`, so build first. It uses the parser of the
 * bundler, because TypeScript 7 has no stable parser API.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { readMembers } from './docs-read-members.js';
import { cutInternal } from './docs-cut-internal.js';
import { typesOf } from './packages.js';
import type { Member } from './docs-read-members.js';

type Statement = ReturnType<typeof parseSync>['program']['body'][number];
export type Comment = ReturnType<typeof parseSync>['comments'][number];
export type Kind = 'function' | 'class' | 'interface' | 'type' | 'constant';

/** A syntax node, of which only the position is typed. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** A parsed file with its declarations. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly comments: readonly Comment[];
  readonly local: Map<string, Declaration>;
  /** The file and original name of imported and re-exported names. */
  readonly elsewhere: Map<string, { readonly from: string; readonly name: string }>;
}

/** A declaration, identified by file and local name. */
export interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  readonly source: Source;
  readonly doc: string;
  /** Several if the function is overloaded. */
  readonly texts: readonly string[];
  /** The text before the first member: name, parameters and bases. */
  readonly head: string;
  readonly members: readonly Member[];
  /** Names of local or imported types in the declaration. */
  readonly mentions: ReadonlySet<string>;
  /** Names of the extended or implemented types. */
  readonly bases: readonly string[];
}

const root = fileURLToPath(new URL('../', import.meta.url));
const sources = new Map<string, Source>();

/** The names that a file exports, each with its declaration. */
export function exportsOf(path: string): ReadonlyMap<string, Declaration> {
  const { exported } = parse(path);
  return new Map(
    exported.map((name) => {
      const found = resolve(sourceOf(path), name);
      if (!found) throw new Error(`${path} exports ${name}, which is declared nowhere`);
      return [name, found];
    }),
  );
}

/** Resolves a name in a file. Returns `undefined` for names of packages outside the workspace. */
export function resolve(source: Source, name: string): Declaration | undefined {
  const local = source.local.get(name);
  if (local) return local;
  const link = source.elsewhere.get(name);
  return link && resolve(sourceOf(link.from), link.name);
}

/** The text of the comment directly above a position, without its stars. */
export function docAt({ text, comments }: Pick<Source, 'text' | 'comments'>, start: number): string {
  const above = comments.findLast(({ end }) => end <= start);
  if (!above?.value.startsWith('*') || text.slice(above.end, start).trim() !== '') return '';
  return above.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim();
}

function sourceOf(path: string): Source {
  let source = sources.get(path);
  if (!source) sources.set(path, (source = parse(path).source));
  return source;
}

function parse(path: string): { readonly source: Source; readonly exported: readonly string[] } {
  if (!existsSync(join(root, path))) throw new Error(`${path} is not there. Run \`npm run build\`.`);
  const text = cutInternal(path, readFileSync(join(root, path), 'utf8'));
  const { program, comments, errors } = parseSync(path, text, { lang: 'dts' });
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const source: Source = { path, text, comments, local: new Map(), elsewhere: new Map() };
  const exported: string[] = [];
  const link = (name: string, from: string, original: string): void => {
    const file = from.startsWith('.') ? besides(path, from) : typesOf(from);
    if (file !== undefined) source.elsewhere.set(name, { from: file, name: original });
  };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const part of statement.specifiers)
        if (part.type === 'ImportSpecifier')
          link(part.local.name, statement.source.value, nameOf(part.imported));
    } else if (statement.type === 'ExportAllDeclaration') {
      const from = typesOf(statement.source.value) ?? besides(path, statement.source.value);
      for (const name of exportsOf(from).keys()) {
        exported.push(name);
        source.elsewhere.set(name, { from, name });
      }
    } else if (statement.type === 'ExportNamedDeclaration') {
      for (const { exported: as, local } of statement.specifiers) {
        exported.push(nameOf(as));
        if (statement.source) link(nameOf(as), statement.source.value, nameOf(local));
      }
      if (statement.declaration) {
        const name = declare(source, statement.declaration, statement.start);
        if (!exported.includes(name)) exported.push(name);
      }
    } else declare(source, statement, statement.start);
  }
  return { source, exported };
}

/** Stores a declaration by name and returns the name. A second declaration of a function is an overload. */
function declare(source: Source, node: Statement, start: number): string {
  const declared = kindOf(node);
  if (!declared) return '';
  const { name, kind, body, bases } = declared;
  const before = source.local.get(name);
  const text = dedent(source.text.slice(start, node.end));
  const members = body ? readMembers(source, body) : [];
  const end = body ? body.start : node.end;
  source.local.set(name, {
    name,
    kind,
    source,
    doc: before?.doc || docAt(source, start),
    texts: [...(before?.texts ?? []), text],
    head: source.text
      .slice(start, end)
      .replace(/^export (declare )?/, '')
      .replace(/\s*[={]?\s*$/, ''),
    members: [...(before?.members ?? []), ...members],
    mentions: new Set([...(before?.mentions ?? []), ...namesIn(node)]),
    bases,
  });
  return name;
}

function kindOf(
  node: Statement,
):
  | { readonly name: string; readonly kind: Kind; readonly body?: Node; readonly bases: readonly string[] }
  | undefined {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
      return {
        name: node.id.name,
        kind: 'interface',
        body: node.body,
        bases: node.extends.flatMap(({ expression }) =>
          expression.type === 'Identifier' ? [expression.name] : [],
        ),
      };
    case 'ClassDeclaration':
      return {
        name: node.id?.name ?? '',
        kind: 'class',
        body: node.body,
        bases: [node.superClass, ...(node.implements ?? []).map(({ expression }) => expression)].flatMap(
          (base) => (base?.type === 'Identifier' ? [base.name] : []),
        ),
      };
    case 'TSTypeAliasDeclaration': {
      const { typeAnnotation: is } = node;
      return {
        name: node.id.name,
        kind: 'type',
        bases: [],
        ...(is.type === 'TSTypeLiteral' ? { body: is } : {}),
      };
    }
    case 'TSDeclareFunction':
    case 'FunctionDeclaration':
      return { name: node.id?.name ?? '', kind: 'function', bases: [] };
    case 'VariableDeclaration': {
      const [first] = node.declarations;
      return first?.id.type === 'Identifier'
        ? { name: first.id.name, kind: 'constant', bases: [] }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** All identifiers below a node, among them the names of types. */
function namesIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  const { type, name } = node as { type?: string; name?: unknown };
  if (type === 'Identifier' && typeof name === 'string') found.add(name);
  for (const value of Object.values(node)) namesIn(value, found);
  return found;
}

/** Halves the indentation, because declaration files are indented by four spaces and the pages by two. */
function dedent(text: string): string {
  return text.replaceAll(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2));
}

function besides(path: string, from: string): string {
  return normalize(join(dirname(path), from.replace(/\.js$/, '.d.ts')));
}

function nameOf(node: { readonly type: string }): string {
  const { name, value } = node as { readonly name?: string; readonly value?: string };
  return name ?? value ?? '';
}
