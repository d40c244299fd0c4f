import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** The place of the cursor in the object that is the argument of a call of a tool. */
export interface ArgumentContext {
  /** The path of the function, without `tools.`. */
  readonly path: string;
  /** The names of the properties that the object already has, apart from the one at the cursor. */
  readonly given: ReadonlySet<string>;
  /** The property whose value is at the cursor; `undefined` if a name is. */
  readonly property: string | undefined;
  /** Where the text at the cursor begins. */
  readonly from: number;
  /** Whether the cursor is inside of a string. */
  readonly isInString: boolean;
}

/** The innermost call of a tool around a position. */
export function callAt(state: EditorState, position: number): string | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node; node = node.parent) {
    const path = node.name === 'CallExpression' ? calleeOf(state, node) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The path that a name belongs to, such as `shop.list` for `list` in `tools.shop.list`, and where it is. */
export function pathAt(
  state: EditorState,
  position: number,
): { readonly path: string; readonly from: number; readonly to: number } | undefined {
  for (const side of [1, -1] as const) {
    const node = syntaxTree(state).resolveInner(position, side);
    const member = node.name === 'PropertyName' ? node.parent : null;
    if (member?.name !== 'MemberExpression') continue;
    const path = toPath(state.sliceDoc(member.from, node.to));
    if (path !== undefined) return { path, from: node.from, to: node.to };
  }
  return undefined;
}

/** The argument of a call of a tool in which the cursor is. Only the outermost object has declared fields. */
export function argumentAt(state: EditorState, position: number): ArgumentContext | undefined {
  let inner = syntaxTree(state).resolveInner(position, -1);
  const isInString = inner.name === 'String';
  const start = isInString ? inner.from : position;
  while (inner.name !== 'ObjectExpression') {
    if (!inner.parent || inner.name === 'Script' || inner.name.endsWith('Function')) return undefined;
    inner = inner.parent;
  }
  const call = inner.parent?.name === 'ArgList' ? inner.parent.parent : null;
  const path = call?.name === 'CallExpression' ? calleeOf(state, call) : undefined;
  if (path === undefined || position <= inner.from) return undefined;
  const properties = inner.getChildren('Property');
  const current = properties.find(({ from, to }) => from < position && position <= to);
  const colon = current?.getChild(':');
  const given = properties.filter((each) => each !== current).map((each) => nameOf(state, each));
  const property =
    current && colon && colon.to <= position
      ? nameOf(state, current)
      : propertyBefore(state, inner, position);
  const typed = /[\w$]*$/.exec(state.sliceDoc(inner.from, position))?.[0].length ?? 0;
  return {
    path,
    given: new Set(given),
    property,
    from: isInString ? start : position - typed,
    isInString,
  };
}

/** The name before a colon that has no value yet. The parser ends the property before the cursor then. */
function propertyBefore(state: EditorState, object: SyntaxNode, position: number): string | undefined {
  const text = state.sliceDoc(object.from + 1, position);
  return /(?:^|[,{\s])["']?([\w$-]+)["']?\s*:\s*$/.exec(text)?.[1];
}

function nameOf(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild('PropertyDefinition') ?? property.getChild('String') ?? property.firstChild;
  const text = name ? state.sliceDoc(name.from, name.to) : '';
  return text.replace(/^["']|["']$/g, '');
}

function calleeOf(state: EditorState, call: SyntaxNode): string | undefined {
  const callee = call.firstChild;
  return callee?.name === 'MemberExpression' ? toPath(state.sliceDoc(callee.from, callee.to)) : undefined;
}

function toPath(text: string): string | undefined {
  return /^tools\.([\w$]+(?:\.[\w$]+)*)$/.exec(text.replace(/\s+/g, ''))?.[1];
}
