/** A part of a regular expression. Capturing groups are dropped, because they do not affect whether a text matches. */
export type PatternNode =
  /** One character, as a regular expression for it. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly at: '^' | '$' | 'b' | 'B' }
  | {
      readonly kind: 'look';
      readonly part: PatternNode;
      readonly isBehind: boolean;
      readonly isNegative: boolean;
    };

/** Thrown for patterns that cannot be matched in linear time. The message is the predicate of a sentence about the pattern. */
export class UnsupportedPattern extends Error {}

const MAX_NESTING = 100;

/** Parses a pattern that JavaScript accepts with the `u` flag, so its syntax is known to be valid. */
export function parsePattern(pattern: string): PatternNode {
  return new Parser(pattern).parse();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #nesting = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): PatternNode {
    return this.#choice();
  }

  #choice(): PatternNode {
    if (++this.#nesting > MAX_NESTING)
      throw new UnsupportedPattern(`has more than ${MAX_NESTING} nested groups`);
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    this.#nesting--;
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at)))
      parts.push(this.#quantified(this.#term()));
    return { kind: 'sequence', parts };
  }

  #term(): PatternNode {
    if (this.#takes('^')) return { kind: 'assertion', at: '^' };
    if (this.#takes('$')) return { kind: 'assertion', at: '$' };
    if (this.#takes('(')) return this.#group();
    if (this.#text.startsWith('\\', this.#at)) return this.#escape();
    return { kind: 'character', source: this.#match(/\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy) };
  }

  #group(): PatternNode {
    const look = /\?(<?)([=!])/y;
    look.lastIndex = this.#at;
    const found = look.exec(this.#text);
    if (found) this.#at = look.lastIndex;
    else if (this.#takes('?') && !this.#takes(':')) {
      if (!this.#takes('<')) throw new UnsupportedPattern('changes its flags inside');
      this.#match(/[^>]*>/y);
    }
    const part = this.#choice();
    this.#takes(')');
    return found ? { kind: 'look', part, isBehind: found[1] === '<', isNegative: found[2] === '!' } : part;
  }

  #escape(): PatternNode {
    const source = this.#match(
      /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[1-9]\d*|k<[^>]*>|[\s\S])/uy,
    );
    if (/^\\(?:[1-9]|k)/.test(source)) throw new UnsupportedPattern('has a backreference');
    if (source === '\\b' || source === '\\B') return { kind: 'assertion', at: source === '\\b' ? 'b' : 'B' };
    return { kind: 'character', source };
  }

  #quantified(part: PatternNode): PatternNode {
    const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
    quantifier.lastIndex = this.#at;
    const found = quantifier.exec(this.#text);
    if (!found) return part;
    this.#at = quantifier.lastIndex;
    const [, sign, from = '', comma, to = ''] = found;
    if (sign !== undefined)
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const min = Number(from);
    return { kind: 'repeat', part, min, max: comma === '' ? min : to === '' ? Infinity : Number(to) };
  }

  #takes(character: string): boolean {
    const isNext = this.#text.startsWith(character, this.#at);
    if (isNext) this.#at += character.length;
    return isNext;
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [matched = ''] = expression.exec(this.#text) ?? [];
    this.#at += matched.length;
    return matched;
  }
}
