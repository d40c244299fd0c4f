/** Reads the members of an interface, a class or an object type from their declaration. */
import { docAt } from './docs-read-declarations.js';
import type { Node, Source } from './docs-read-declarations.js';

export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isMethod: boolean;
  /** The type of a property, or the signature of a method. */
  readonly type: string;
  readonly doc: string;
  /** The default from the comment. */
  readonly fallback: string | undefined;
  /** The declaration as written. */
  readonly text: string;
  /** Members of an inline object type. */
  readonly members: readonly Member[];
}

interface MemberNode extends Node {
  readonly key?: Node & { readonly name?: string; readonly value?: unknown };
  readonly optional?: boolean;
  readonly kind?: string;
  readonly accessibility?: string | null;
  readonly typeAnnotation?: { readonly typeAnnotation: Node } | null;
  readonly parameters?: readonly Node[];
}

interface Body extends Node {
  readonly body?: readonly MemberNode[];
  readonly members?: readonly MemberNode[];
  readonly types?: readonly Body[];
}

/** The public members of a body. Each overload of a method is a member. */
export function readMembers(source: Source, body: Body): Member[] {
  return (body.body ?? body.members ?? []).flatMap((node) => {
    const name = nameOf(source, node);
    if (name === undefined || node.accessibility === 'private') return [];
    const isMethod = /Method|CallSignature|Constructor/.test(node.type) && node.kind !== 'get';
    const annotation = node.typeAnnotation?.typeAnnotation;
    const text = source.text.slice(node.start, node.end).replace(/;$/, '');
    const { doc, fallback } = splitDefault(docAt(source, node.start));
    const type = isMethod || !annotation ? text : source.text.slice(annotation.start, annotation.end);
    return [
      {
        name,
        isOptional: node.optional === true,
        isMethod,
        type: oneLine(type),
        doc,
        fallback,
        text,
        members: annotation ? readMembers(source, literalIn(annotation) ?? annotation) : [],
      },
    ];
  });
}

function nameOf(source: Source, { type, key, parameters, kind }: MemberNode): string | undefined {
  if (type === 'TSCallSignatureDeclaration') return '()';
  if (kind === 'constructor') return 'constructor';
  if (type === 'TSIndexSignature')
    return `[${source.text.slice(parameters?.[0]?.start ?? 0, parameters?.[0]?.end)}]`;
  if (!key || key.type === 'PrivateIdentifier') return undefined;
  return key.name ?? String(key.value);
}

/** The inline object type in a type, alone or in a union. */
function literalIn(node: Body): Body | undefined {
  if (node.type === 'TSTypeLiteral') return node;
  if (node.type !== 'TSUnionType') return undefined;
  const literals = (node.types ?? []).filter(({ type }) => type === 'TSTypeLiteral');
  return literals.length === 1 ? literals[0] : undefined;
}

const defaults = [
  /(?:^|\s)Default:\s+([\s\S]*?)\.(?=\s|$)/,
  /[;,]\s+default\s+([^.;]*)(?=\.(?:\s|$))/,
  /(?:^|\s)By\s+default\s+([\s\S]*?)\.(?=\s|$)/,
  /[;:]\s+([^.;:]*?)\s+by\s+default(?=\.(?:\s|$))/,
];

/** Splits a comment into its default ("Default: 10.", "By default 10.", "; 10 by default.") and the rest. */
function splitDefault(comment: string): { readonly doc: string; readonly fallback: string | undefined } {
  const match = defaults.map((pattern) => pattern.exec(comment)).find((found) => found !== null);
  if (!match) return { doc: comment, fallback: undefined };
  const doc = comment.replace(match[0], '').trim();
  return { doc, fallback: match[1]?.replaceAll(/\s+/g, ' ') };
}

export function oneLine(text: string): string {
  return text
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replaceAll(/\breadonly (?=[\w'[~]+\]?\??:)/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/; \}/g, ' }')
    .trim();
}
