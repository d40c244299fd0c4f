import { parsePattern, UnsupportedPattern } from './pattern-syntax.js';
import type { PatternNode } from './pattern-syntax.js';
import { PatternMachine } from './pattern-machine.js';
import { fromRegExp } from './pattern.js';
import type { Pattern } from './pattern.js';

export { UnsupportedPattern } from './pattern-syntax.js';

const MAX_LENGTH = 10_000;
/** Maximum number of instructions of a program. Repetitions are unrolled, so a pattern of 20 characters can need a million. */
const MAX_SIZE = 20_000;

/**
 * Compiles a pattern that matches in time proportional to the text, unlike a backtracking `RegExp`, and gives the same answers.
 * Throws `UnsupportedPattern` for backreferences and for patterns that are too large.
 */
export function toLinearPattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new UnsupportedPattern(`has more than ${MAX_LENGTH} characters`);
  const root = parsePattern(source);
  if (isSimple(root)) return fromRegExp(source);
  const size = sizeOf(root);
  if (size > MAX_SIZE)
    throw new UnsupportedPattern(`has more than ${MAX_SIZE} parts after its repetitions are unrolled`);
  let machine: PatternMachine | undefined;
  return {
    size,
    test: (text) => (machine ??= new PatternMachine(root, isAnchored(root))).test(text),
    // Ajv identifies patterns by their text.
    toString: () => `/${source}/u`,
  };
}

/** The number of instructions of a node. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case 'choice':
      return node.options.reduce((sum, option) => sum + sizeOf(option) + 1, 0);
    case 'repeat':
      return (sizeOf(node.part) + 1) * (node.max === Infinity ? node.min + 1 : node.max);
    case 'look':
      return sizeOf(node.part) + 2;
    default:
      return 1;
  }
}

/**
 * Whether a `RegExp`, which is faster, also matches in linear time. From each start it tries at most `ways` ways, each with every
 * length of at most one long repetition, and compares `length` characters for each.
 */
function isSimple(root: PatternNode): boolean {
  const { ways, loops, length } = effortOf(root);
  const effort = ways * length;
  if (loops === 0) return effort <= (isAnchored(root) ? 5_000 : 32);
  return loops === 1 && isAnchored(root) && effort <= 32;
}

function isAnchored(root: PatternNode): boolean {
  const [first] = root.kind === 'sequence' ? root.parts : [];
  return first?.kind === 'assertion' && first.at === '^';
}

interface Effort {
  readonly ways: number;
  readonly loops: number;
  readonly length: number;
}

const once: Effort = { ways: 1, loops: 0, length: 1 };
/** Repeating a part of variable length may try exponentially many ways. */
const endless: Effort = { ways: Infinity, loops: 0, length: 1 };
const FEW = 8;

function effortOf(node: PatternNode): Effort {
  switch (node.kind) {
    case 'sequence':
      return node.parts.map(effortOf).reduce(
        (sum, { ways, loops, length }) => ({
          ways: sum.ways * ways,
          loops: sum.loops + loops,
          length: sum.length + length,
        }),
        once,
      );
    case 'choice':
      return node.options.map(effortOf).reduce((sum, { ways, loops, length }) => ({
        ways: sum.ways + ways,
        loops: sum.loops + loops,
        length: Math.max(sum.length, length),
      }));
    case 'repeat': {
      const { part, min, max } = node;
      const inner = effortOf(part);
      const length = inner.length * (min + 1);
      if (part.kind === 'character' && max - min > FEW) return { ways: 1, loops: 1, length };
      if (max === Infinity || inner.loops > 0) return endless;
      return { ways: (max - min + 1) * inner.ways ** max, loops: 0, length: inner.length * max };
    }
    case 'look':
      return endless;
    default:
      return once;
  }
}
