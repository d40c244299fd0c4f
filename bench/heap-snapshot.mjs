import { readFileSync } from 'node:fs';

/**
 * A heap snapshot as columns. The edges of a node are those from `firstEdge[node]` up to `firstEdge[node + 1]`.
 *
 * @typedef {{
 *   nodeTypes: readonly string[],
 *   edgeTypes: readonly string[],
 *   strings: readonly string[],
 *   count: number,
 *   type: Uint8Array,
 *   name: Int32Array,
 *   id: Int32Array,
 *   size: Int32Array,
 *   firstEdge: Int32Array,
 *   edgeType: Uint8Array,
 *   edgeName: Int32Array,
 *   target: Int32Array,
 * }} HeapSnapshot
 */

/**
 * Reads a file of `writeHeapSnapshot`, which may be too long for one string.
 *
 * @param {string} file
 * @returns {HeapSnapshot}
 */
export function readSnapshot(file) {
  const bytes = readFileSync(file);
  const after = (/** @type {string} */ mark) => bytes.indexOf(mark) + mark.length;
  const { meta, node_count, edge_count } = JSON.parse(
    bytes.toString('utf8', after('"snapshot":'), bytes.indexOf(',\n"nodes":')),
  );
  const nodes = readNumbers(bytes, after('"nodes":['), node_count * meta.node_fields.length);
  const edges = readNumbers(bytes, after('"edges":['), edge_count * meta.edge_fields.length);
  /** @type {(from: Int32Array, fields: string[], name: string) => Int32Array} */
  const column = (from, fields, name) => {
    const at = fields.indexOf(name);
    return Int32Array.from(
      { length: from.length / fields.length },
      (_, row) => from[row * fields.length + at] ?? 0,
    );
  };
  const ofNodes = (/** @type {string} */ name) => column(nodes, meta.node_fields, name);
  const ofEdges = (/** @type {string} */ name) => column(edges, meta.edge_fields, name);
  const firstEdge = new Int32Array(node_count + 1);
  for (const [node, count] of ofNodes('edge_count').entries())
    firstEdge[node + 1] = (firstEdge[node] ?? 0) + count;
  return {
    nodeTypes: meta.node_types[0],
    edgeTypes: meta.edge_types[0],
    strings: JSON.parse(bytes.toString('utf8', after('"strings":'), bytes.lastIndexOf('}'))),
    count: node_count,
    type: Uint8Array.from(ofNodes('type')),
    name: ofNodes('name'),
    id: ofNodes('id'),
    size: ofNodes('self_size'),
    firstEdge,
    edgeType: Uint8Array.from(ofEdges('type')),
    edgeName: ofEdges('name_or_index'),
    target: ofEdges('to_node').map((at) => at / meta.node_fields.length),
  };
}

/**
 * @param {Buffer} bytes
 * @param {number} at
 * @param {number} count
 */
function readNumbers(bytes, at, count) {
  const numbers = new Int32Array(count);
  let number = 0;
  for (let index = 0, place = at; index < count; place++) {
    const digit = (bytes[place] ?? 0) - 48;
    if (digit >= 0 && digit <= 9) number = number * 10 + digit;
    else if (bytes[place] === 44 || bytes[place] === 93) {
      numbers[index++] = number;
      number = 0;
    }
  }
  return numbers;
}
