/** Writes one export as Markdown: its signature, or its options as a table. */
import type { Declaration } from './docs-read-declarations.js';
import { oneLine } from './docs-read-members.js';
import type { Member } from './docs-read-members.js';

export interface Surroundings {
  /** Markdown marks of the heading, such as `##`. */
  readonly level: string;
  /** Values that are not exported but define the type. */
  readonly constants: readonly Declaration[];
  readonly bases: readonly Declaration[];
  /** Whether a base has an entry in the reference. Members of other bases are shown where they are inherited. */
  readonly isPublic: (base: Declaration) => boolean;
  readonly mentions: readonly Declaration[];
  readonly linkTo: (target: Declaration) => string | undefined;
}

const LONG = 30;

export function renderDeclaration(declaration: Declaration, around: Surroundings): string {
  const { name, kind, doc } = declaration;
  const link = (target: Declaration): string => `[\`${target.name}\`](${around.linkTo(target)})`;
  const hasTable = isTable(declaration);
  const open = around.bases.filter((base) => !around.isPublic(base));
  const members = [...open.flatMap((base) => base.members), ...declaration.members];
  const inherited = around.bases.filter(around.isPublic).map(link);
  const shown = hasTable ? renderTable(members) : renderCode(declaration, around.constants);
  const mentions = around.mentions.filter((other) => !around.bases.includes(other)).map(link);
  const parts = [
    `${around.level} ${name}`,
    `*${kind}*${inherited.length > 0 ? `, with all of ${inherited.join(', ')}` : ''}`,
    paragraphs(doc),
    shown,
    shown !== '' && mentions.length > 0 ? `See ${mentions.join(', ')}.` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Data is shown as a table, behaviour as code. */
function isTable({ kind, members }: Declaration): boolean {
  if (kind !== 'interface' && kind !== 'type') return false;
  if (kind === 'type' && members.length === 0) return false;
  return members.filter(({ isMethod }) => isMethod).length <= members.length / 2;
}

function renderTable(members: readonly Member[]): string {
  const rows = members.flatMap((member) => rowsOf(member, ''));
  if (rows.length === 0) return '';
  const hasDefault = rows.some(({ fallback }) => fallback !== undefined);
  const head = hasDefault ? '| | type | default | |\n|---|---|---|---|' : '| | type | |\n|---|---|---|';
  return [
    head,
    ...rows.map(({ name, type, fallback, doc }) => {
      const cells = [code(name), code(type), ...(hasDefault ? [fallback ?? ''] : []), doc];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    }),
  ].join('\n');
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly fallback: string | undefined;
  readonly doc: string;
}

/** A row for a member, followed by rows for the members of its inline object. */
function rowsOf(member: Member, prefix: string): Row[] {
  const { name, isOptional, isMethod, type, fallback, doc, members } = member;
  const shown = `${prefix}${name}`;
  return [
    {
      name: `${shown}${isOptional ? '?' : ''}`,
      type: isOptional && !isMethod ? withoutUndefined(type) : type,
      fallback,
      doc: doc.replaceAll(/\n- /g, ' · ').replaceAll(/\s+/g, ' '),
    },
    ...members.flatMap((inner) => rowsOf(inner, `${shown}.`)),
  ];
}

function renderCode({ kind, texts, head, members }: Declaration, constants: readonly Declaration[]): string {
  const text = [...constants.flatMap((constant) => constant.texts), ...texts]
    .map((each) =>
      each
        .replace(/^export /, '')
        .replace(/^declare /, '')
        .replaceAll(/^\s*(?:#private|private .*);\n/gm, ''),
    )
    .join('\n');
  // A constant of more than 30 lines is a table of values. Only its comment is shown.
  if (kind === 'constant' && text.split('\n').length > LONG) return '';
  const isEmpty = (kind === 'class' || kind === 'interface') && members.length === 0;
  return `\`\`\`ts\n${isEmpty ? `${oneLine(head)} {}` : text}\n\`\`\``;
}

function paragraphs(doc: string): string {
  return doc.replaceAll(/([^\n])\n(?=[^\n-])/g, '$1 ');
}

/** Removes `| undefined` from optional properties, but not from the results of functions. */
function withoutUndefined(type: string): string {
  const [, inner] = /^\((.*)\) \| undefined$/.exec(type) ?? [];
  return inner ?? (type.includes('=>') ? type : type.replace(/ \| undefined$/, ''));
}

function code(text: string): string {
  return `\`${text}\``;
}
