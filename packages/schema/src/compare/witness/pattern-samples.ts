import { parsePattern } from '../../patterns/pattern-syntax.js';
import type { PatternNode } from '../../patterns/pattern-syntax.js';

const MAX_LENGTH = 500;
const MAX_REPEAT = 3;
/** Number of samples, each with other choices among alternatives and repetitions. */
const VARIANTS = 4;
const common = [...'a0A-_./ @:+x9Zz#,é'];

/** Generates texts that probably match a pattern. The caller checks them. */
export function samplePattern(pattern: string): string[] {
  let root: PatternNode;
  try {
    root = parsePattern(pattern);
  } catch {
    // The pattern has a syntax such as a backreference, for which no text can be built.
    return [];
  }
  const samples = Array.from({ length: VARIANTS }, (_, variant) => build(root, variant));
  return [...new Set(samples.filter((text) => text !== undefined))];
}

function build(node: PatternNode, variant: number): string | undefined {
  switch (node.kind) {
    case 'character':
      return characterOf(node.source);
    case 'sequence':
      return join(node.parts, (part) => build(part, variant));
    case 'choice':
      return build(node.options[variant % node.options.length] as PatternNode, variant);
    case 'repeat': {
      const times = Math.min(node.max, node.min + Math.min(variant, MAX_REPEAT));
      if (times > MAX_LENGTH) return undefined;
      return join(Array.from({ length: times }), () => build(node.part, variant));
    }
    default:
      return '';
  }
}

function join<T>(parts: readonly T[], write: (part: T) => string | undefined): string | undefined {
  let text = '';
  for (const part of parts) {
    const piece = write(part);
    if (piece === undefined || text.length + piece.length > MAX_LENGTH) return undefined;
    text += piece;
  }
  return text;
}

/** Finds a character that matches an expression for one character. */
function characterOf(source: string): string | undefined {
  const expression = new RegExp(`^${source}$`, 'u');
  const literal = [source, source.slice(-1)].find((text) => [...text].length === 1 && expression.test(text));
  if (literal !== undefined && !source.startsWith('[') && source !== '.') return literal;
  const known = common.find((character) => expression.test(character));
  if (known !== undefined) return known;
  for (let code = 32; code < 0x3_00; code++) {
    const character = String.fromCodePoint(code);
    if (expression.test(character)) return character;
  }
  return undefined;
}
