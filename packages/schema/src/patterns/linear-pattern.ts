import { parsePattern, UnsupportedPattern } from './pattern-syntax.js';
import type { PatternNode } from './pattern-syntax.js';
import { fromRegExp, patternSteps, PatternTooSlow } from './pattern.js';
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
    test: (text) => (machine ??= new PatternMachine(root)).test(text),
    // Ajv identifies patterns by their text.
    toString: () => `/${source}/u`,
  };
}

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

/** Whether a pattern matches only at the start of a text. */
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
    case 'assertion':
      // V8 also tests `\B` between the two halves of a surrogate pair, where a match of a `u` pattern must not start.
      return node.at === 'B' ? endless : once;
    default:
      return once;
  }
}

type Instruction =
  | { readonly kind: 'character'; readonly matches: CharacterTest; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'assertion'; readonly at: '^' | '$' | 'b' | 'B'; next: number }
  | { readonly kind: 'look'; readonly look: Look; next: number }
  | { readonly kind: 'match' };

type Condition = Extract<Instruction, { kind: 'assertion' | 'look' }>;

const kinds = ['character', 'split', 'match', 'assertion', 'look'];
const [CHARACTER, SPLIT, MATCH] = [0, 1, 2];

type CharacterTest = (point: number) => boolean;

/** A lookaround. The places at which it holds are computed before the program that uses it runs. */
interface Look {
  readonly program: Program;
  readonly isNegative: boolean;
  holds: Uint8Array;
}

/** A pattern compiled to a nondeterministic automaton, which follows all ways to match at the same time. */
class PatternMachine {
  readonly #tests = new Map<string, CharacterTest>();
  /** Lookarounds in the order of evaluation: inner ones first. */
  readonly #looks: Look[] = [];
  readonly #program: Program;
  readonly #isAnchored: boolean;

  constructor(root: PatternNode) {
    this.#program = this.#compile(root, false);
    this.#isAnchored = isAnchored(root);
  }

  test(text: string): boolean {
    const points = toPoints(text);
    for (const look of this.#looks) {
      const holds = new Uint8Array(points.length + 1).fill(look.isNegative ? 1 : 0);
      look.program.run(points, false, (at) => {
        holds[at] = look.isNegative ? 0 : 1;
        return false;
      });
      look.holds = holds;
    }
    return this.#program.run(points, this.#isAnchored, () => true);
  }

  /** Compiles a node. A program that reads backward finds the places where a lookahead holds. */
  #compile(root: PatternNode, isBackward: boolean): Program {
    const instructions: Instruction[] = [];
    const add = (instruction: Instruction): number => instructions.push(instruction) - 1;
    /** Adds a node that continues at `next`, and returns its first instruction. */
    const build = (node: PatternNode, next: number): number => {
      switch (node.kind) {
        case 'character':
          return add({ kind: 'character', matches: this.#testOf(node.source), next });
        case 'assertion':
          return add({ kind: 'assertion', at: node.at, next });
        case 'look': {
          const look: Look = {
            program: this.#compile(node.part, !node.isBehind),
            isNegative: node.isNegative,
            holds: new Uint8Array(),
          };
          this.#looks.push(look);
          return add({ kind: 'look', look, next });
        }
        case 'sequence': {
          const parts = isBackward ? node.parts : node.parts.toReversed();
          return parts.reduce((following, part) => build(part, following), next);
        }
        case 'choice':
          return node.options
            .map((option) => build(option, next))
            .reduce((other, option) => add({ kind: 'split', next: option, other }));
        case 'repeat': {
          const { part, min, max } = node;
          let start = next;
          if (max === Infinity) {
            const loop = { kind: 'split' as const, next: -1, other: next };
            start = add(loop);
            loop.next = build(part, start);
          } else
            for (let count = min; count < max; count++)
              start = add({ kind: 'split', next: build(part, start), other: next });
          for (let count = 0; count < min; count++) start = build(part, start);
          return start;
        }
      }
    };
    const end = add({ kind: 'match' });
    return new Program(instructions, build(root, end), isBackward);
  }

  /** Tests one character with a `RegExp`, which takes constant time and supports every character class. */
  #testOf(source: string): CharacterTest {
    let known = this.#tests.get(source);
    if (!known) this.#tests.set(source, (known = createTest(source)));
    return known;
  }
}

function toPoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) as number;
    if (point > 0xff_ff) at++;
    points[count++] = point;
  }
  return points.subarray(0, count);
}

const ASCII = 128;

function createTest(source: string): CharacterTest {
  const expression = new RegExp(`^${source}$`, 'u');
  const test = (point: number): boolean => expression.test(String.fromCodePoint(point));
  const ascii = Uint8Array.from({ length: ASCII }, (_, point) => (test(point) ? 1 : 0));
  return (point) => (point < ASCII ? ascii[point] === 1 : test(point));
}

/** Instructions as typed arrays, because following them dominates the time. */
class Program {
  readonly #kinds: Uint8Array;
  readonly #next: Int32Array;
  readonly #other: Int32Array;
  readonly #instructions: readonly Instruction[];
  readonly #start: number;
  readonly #isBackward: boolean;
  /** The step in which each instruction was last reached, so that no instruction is followed twice at one place. */
  readonly #reached: Uint32Array;
  #now = 0;
  readonly #open: Int32Array;
  /** The character instructions that wait at this place, and those that waited at the previous place. */
  #here: Int32Array;
  #waiting: Int32Array;
  #count = 0;

  constructor(instructions: readonly Instruction[], start: number, isBackward: boolean) {
    const { length } = instructions;
    this.#kinds = Uint8Array.from(instructions, ({ kind }) => kinds.indexOf(kind));
    this.#next = Int32Array.from(instructions, (each) => ('next' in each ? each.next : 0));
    this.#other = Int32Array.from(instructions, (each) => ('other' in each ? each.other : 0));
    this.#instructions = instructions;
    this.#start = start;
    this.#isBackward = isBackward;
    this.#reached = new Uint32Array(length);
    this.#open = new Int32Array(2 * length + 1);
    this.#here = new Int32Array(length);
    this.#waiting = new Int32Array(length);
  }

  /** Calls `found` at each place where a match ends, until it returns true. */
  run(points: Uint32Array, startsOnce: boolean, found: (at: number) => boolean): boolean {
    if (this.#now + points.length >= 2 ** 32 - 1) {
      this.#reached.fill(0);
      this.#now = 0;
    }
    this.#count = 0;
    for (let step = 0; step <= points.length; step++) {
      const at = this.#isBackward ? points.length - step : step;
      this.#now++;
      let isMatch = step > 0 && this.#read(points, at);
      if ((step === 0 || !startsOnce) && this.#follow(this.#start, points, at)) isMatch = true;
      if (isMatch && found(at)) return true;
      if (startsOnce && this.#count === 0) return false;
    }
    return false;
  }

  /** Advances all waiting instructions that match the character before this place. */
  #read(points: Uint32Array, at: number): boolean {
    const point = points[this.#isBackward ? at : at - 1] as number;
    const waiting = this.#here;
    const length = this.#count;
    this.#here = this.#waiting;
    this.#waiting = waiting;
    this.#count = 0;
    patternSteps.left -= length;
    let isMatch = false;
    for (let each = 0; each < length; each++) {
      const index = waiting[each] as number;
      const instruction = this.#instructions[index] as Instruction & { kind: 'character' };
      if (instruction.matches(point) && this.#follow(this.#next[index] as number, points, at)) isMatch = true;
    }
    return isMatch;
  }

  /** Collects the character instructions that are reachable from `start`. Returns whether a match ends here. */
  #follow(start: number, points: Uint32Array, at: number): boolean {
    const open = this.#open;
    open[0] = start;
    let isMatch = false;
    for (let size = 1; size > 0;) {
      const index = open[--size] as number;
      if (this.#reached[index] === this.#now) continue;
      this.#reached[index] = this.#now;
      if (--patternSteps.left < 0) throw new PatternTooSlow();
      const kind = this.#kinds[index];
      if (kind === CHARACTER) this.#here[this.#count++] = index;
      else if (kind === SPLIT) {
        open[size++] = this.#other[index] as number;
        open[size++] = this.#next[index] as number;
      } else if (kind === MATCH) isMatch = true;
      else if (holdsAt(this.#instructions[index] as Condition, points, at))
        open[size++] = this.#next[index] as number;
    }
    return isMatch;
  }
}

function holdsAt(condition: Condition, points: Uint32Array, at: number): boolean {
  if (condition.kind === 'look') return condition.look.holds[at] === 1;
  if (condition.at === '^') return at === 0;
  if (condition.at === '$') return at === points.length;
  return (isWord(points[at - 1]) !== isWord(points[at])) === (condition.at === 'b');
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && point < ASCII && /\w/.test(String.fromCharCode(point));
}
