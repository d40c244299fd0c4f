import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/**
 * Parses up to the position. The editor parses for 20 ms and continues later, so on a busy machine its tree may end
 * earlier.
 */
const treeOf = (state: EditorState, position: number): ReturnType<typeof syntaxTree> =>
  ensureSyntaxTree(state, position, 1_000) ?? syntaxTree(state);

/** The cursor's place in the argument object of a tool call. */
interface ArgumentContext {
  /** The path of the function, without `tools.`. */
  readonly path: string;
  /** Names of the properties that the object already has, except for the one at the cursor. */
  readonly given: ReadonlySet<string>;
  /** The property whose value is at the cursor; `undefined` if the cursor is at a name. */
  readonly property: string | undefined;
  /** Start of the text at the cursor. */
  readonly from: number;
  /** Whether the cursor is inside a string. */
  readonly isInString: boolean;
}

/** Returns the path of the innermost tool call around a position. */
export function callAt(state: EditorState, position: number): string | undefined {
  for (
    let node: SyntaxNode | null = treeOf(state, position).resolveInner(position, -1);
    node;
    node = node.parent
  ) {
    const path = node.name === 'CallExpression' ? calleeOf(state, node) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Returns the path that a name completes, such as `shop.list` for `list` in `tools.shop.list`, with its position. */
export function pathAt(
  state: EditorState,
  position: number,
): { readonly path: string; readonly from: number; readonly to: number } | undefined {
  for (const side of [1, -1] as const) {
    const node = treeOf(state, position).resolveInner(position, side);
    const member = node.name === 'PropertyName' ? node.parent : null;
    if (member?.name !== 'MemberExpression') continue;
    const path = toPath(state.sliceDoc(member.from, node.to));
    if (path !== undefined) return { path, from: node.from, to: node.to };
  }
  return undefined;
}

/** Returns the argument at the cursor. Only the outermost object has declared fields. */
export function argumentAt(state: EditorState, position: number): ArgumentContext | undefined {
  let inner = treeOf(state, position).resolveInner(position, -1);
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

/** Returns the name before a colon without a value. The parser ends such a property before the cursor. */
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
