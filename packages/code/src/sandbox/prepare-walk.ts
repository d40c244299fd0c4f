import type { Node } from 'acorn';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/**
 * Iterates over a node and its descendants, parents first. It does not recurse, because a chain of operators is a tree that is deeper
 * than the call stack.
 */
export function* nodesIn<T extends Node>(root: Node, hasChildren?: (node: T) => boolean): Generator<T> {
  const open: Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node as T;
    if (hasChildren && !hasChildren(node as T)) continue;
    for (const value of Object.values(node)) {
      if (isNode(value)) open.push(value);
      else if (Array.isArray(value)) for (const item of value) if (isNode(item)) open.push(item);
    }
  }
}
