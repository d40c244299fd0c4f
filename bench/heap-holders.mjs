/** @typedef {import('./heap-snapshot.mjs').HeapSnapshot} HeapSnapshot */

/**
 * The bytes that the author's schemas hold, and the other bytes by the path that leads to their objects.
 *
 * @typedef {{ author: number, paths: Map<string, number> }} Holders
 */

/** Edges that hold nothing, and edges to what all objects of a class share. */
const ignored = new Set(['weak', 'shortcut', 'hidden']);
const shared = new Set(['map', '__proto__', 'shared', 'feedback_cell', 'code', 'constructor']);
/** Everything inside these counts as one part. */
const whole = new Set(['jsonSchema', 'inputSchema', 'known', 'plan']);

/**
 * @param {HeapSnapshot} snapshot
 * @param {ReadonlySet<number>} older ids of objects that existed before the author made the schemas
 * @returns {Holders}
 */
export function findHolders(snapshot, older) {
  const { count, type, name, id, nodeTypes, strings } = snapshot;
  const isNew = (/** @type {number} */ node) => !older.has(id[node] ?? 0);
  /** @type {[number, string][]} */
  const others = [];
  /** @type {Map<string, [number, string]>} */
  const roots = new Map();
  for (let node = 0; node < count; node++) {
    const label = strings[name[node] ?? 0] ?? '';
    if (isNew(node)) {
      if (/^(Author|Toolfold)Root$/.test(label) && nodeTypes[type[node] ?? 0] === 'object')
        roots.set(label, [node, '']);
      continue;
    }
    // Older objects hold the tables of weak maps, among others.
    eachEdge(snapshot, node, (_, edge, target) => {
      if (isNew(target)) others.push([target, `(${label.slice(0, 30)}) ${edge}`]);
    });
  }
  const seen = new Uint8Array(count);
  /** @type {(from: string, more?: [number, string][]) => Map<string, number>} */
  const bytesFrom = (from, more = []) => {
    const root = roots.get(from);
    return walk(snapshot, [...(root ? [root] : []), ...more], isNew, seen);
  };
  const author = [...bytesFrom('AuthorRoot').values()].reduce((sum, bytes) => sum + bytes, 0);
  const paths = bytesFrom('ToolfoldRoot');
  for (const [path, bytes] of bytesFrom('', others)) paths.set(path, bytes);
  return { author, paths };
}

/**
 * @param {HeapSnapshot} snapshot
 * @param {number} node
 * @param {(type: string, name: string, target: number) => void} onEdge
 */
function eachEdge({ firstEdge, edgeType, edgeTypes, edgeName, target, strings }, node, onEdge) {
  for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
    const type = edgeTypes[edgeType[edge] ?? 0] ?? '';
    if (ignored.has(type)) continue;
    const name = type === 'element' ? '[]' : (strings[edgeName[edge] ?? 0] ?? '');
    if (!shared.has(name)) onEdge(type, name, target[edge] ?? 0);
  }
}

/**
 * The bytes of all new objects that some objects hold, by the shortest path. Internal parts, such as the table of a map, count for
 * their object.
 *
 * @param {HeapSnapshot} snapshot
 * @param {[number, string][]} from
 * @param {(node: number) => boolean} isNew
 * @param {Uint8Array} seen
 */
function walk(snapshot, from, isNew, seen) {
  /** @type {Map<string, number>} */
  const bytes = new Map();
  let level = from;
  while (level.length > 0) {
    /** @type {[number, string][]} */
    const next = [];
    for (const [node, path] of level) {
      if (seen[node]) continue;
      seen[node] = 1;
      bytes.set(path, (bytes.get(path) ?? 0) + (snapshot.size[node] ?? 0));
      const isWhole = whole.has(path.slice(path.lastIndexOf('/') + 1));
      eachEdge(snapshot, node, (type, name, target) => {
        if (!seen[target] && isNew(target))
          next.push([target, isWhole || type === 'internal' ? path : `${path}/${name}`]);
      });
    }
    level = next;
  }
  return bytes;
}
