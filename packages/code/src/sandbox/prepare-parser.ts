import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser } from 'acorn';
import type { Node, Options, Program } from 'acorn';

/** Thrown for code that cannot be parsed or is not accepted. `at` is an index into the code. */
export class CodeProblem extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Thrown for unsupported code, or above a limit of the parser. Parsing it in another way cannot help. */
export class CodeRejection extends CodeProblem {}

export const NO_IMPORT =
  'Nothing can be imported. Call tools as `await tools.name(input)`; the objects of JavaScript are available.';
export const NO_EXPORT = '`export` and `module` are not available. Write `return value` to give the result.';

/** Limits the nesting of a program by stack units. A pair of parentheses costs 12, an operator of a chain costs 1. */
const MAX_DEPTH = 1_800;

/** Limits the tokens that all attempts to parse a program may read. Typical code of 64 kB has 20,000; with types it is read twice. */
const MAX_WORK = 60_000;

/** A token takes the TypeScript parser as long as two tokens take the JavaScript parser. */
const TYPED_TOKEN = 2;

const TOO_MUCH_WORK =
  'The code is too long or too complex. Split the task into several runs, and write the code without types.';

const REGEXP_COST = 20;

export interface ParseOptions {
  /** Index of a `{` that begins an object and not a block. `-1` for none. */
  readonly objectAt: number;
  /** Shared by all attempts to parse a program. */
  readonly work: { left: number };
}

export const newParseOptions = (): ParseOptions => ({ objectAt: -1, work: { left: MAX_WORK } });

/** Members of acorn's parser that its types leave out. */
interface ParserMembers {
  readonly start: number;
  parse(): Program;
  nextToken(): void;
  readRegexp(): void;
  startNode(): Node;
  parseExpression(): Node;
  parseExpressionStatement(node: Node, expression: Node): Node;
  parseStatement(context: string | null, topLevel?: boolean, exports?: unknown): Node;
  parseMaybeAssign(...rest: readonly unknown[]): Node;
  parseMaybeUnary(...rest: readonly unknown[]): Node;
  parseExprOp(...rest: readonly unknown[]): Node;
  parseBindingAtom(): Node;
  currentScope(): Readonly<Record<'lexical' | 'functions' | 'var', readonly string[]>>;
  declareName(name: string, bindingType: number, pos: number): void;
  /** Exists only in the TypeScript parser. */
  tsParseNonConditionalType(): Node;
}

type ParserClass = new (options: Options, input: string) => ParserMembers;

/** Limits the work and the stack of a parser. The TypeScript plugin retries ambiguous code, up to exponentially often. */
function limitParser(
  Base: ParserClass,
  tokenCost: number,
): new (options: Options, input: string, limits: ParseOptions) => ParserMembers {
  return class extends Base {
    readonly #objectAt: number;
    readonly #work: { left: number };
    #depth = 0;

    constructor(options: Options, input: string, { objectAt, work }: ParseOptions) {
      super(options, input);
      this.#objectAt = objectAt;
      this.#work = work;
    }

    #nest(weight: number, parse: () => Node): Node {
      this.#depth += weight;
      try {
        if (this.#depth > MAX_DEPTH)
          throw new CodeRejection(
            'The code is nested too deeply here. Split it into statements.',
            this.start,
          );
        return parse();
      } finally {
        this.#depth -= weight;
      }
    }

    #spend(work: number): void {
      this.#work.left -= work;
      if (this.#work.left < 0) throw new CodeRejection(TOO_MUCH_WORK, this.start);
    }

    override nextToken(): void {
      this.#spend(tokenCost);
      super.nextToken();
    }

    override readRegexp(): void {
      // The parser also compiles the expression.
      this.#spend(REGEXP_COST);
      super.readRegexp();
    }

    override declareName(name: string, bindingType: number, pos: number): void {
      // The parser compares a name with all others of its scope.
      const { lexical, functions, var: variables } = this.currentScope();
      this.#spend(Math.ceil((lexical.length + functions.length + variables.length) / 64));
      super.declareName(name, bindingType, pos);
    }

    override parseStatement(context: string | null, topLevel?: boolean, exports?: unknown): Node {
      if (topLevel && this.start === this.#objectAt)
        return this.parseExpressionStatement(this.startNode(), this.parseExpression());
      return this.#nest(5, () => super.parseStatement(context, topLevel, exports));
    }

    override parseMaybeAssign(...rest: readonly unknown[]): Node {
      return this.#nest(8, () => super.parseMaybeAssign(...rest));
    }

    override parseMaybeUnary(...rest: readonly unknown[]): Node {
      return this.#nest(3, () => super.parseMaybeUnary(...rest));
    }

    override parseExprOp(...rest: readonly unknown[]): Node {
      return this.#nest(1, () => super.parseExprOp(...rest));
    }

    override parseBindingAtom(): Node {
      return this.#nest(5, () => super.parseBindingAtom());
    }

    override tsParseNonConditionalType(): Node {
      return this.#nest(12, () => super.tsParseNonConditionalType());
    }
  };
}

const JavaScriptParser = limitParser(Parser as unknown as ParserClass, 1);
const TypeScriptParser = limitParser(Parser.extend(tsPlugin()) as unknown as ParserClass, TYPED_TOKEN);

const base: Options = {
  ecmaVersion: 2025,
  sourceType: 'module',
  allowReturnOutsideFunction: true,
  preserveParens: true,
};

/** Parses code as the body of an async strict function. Throws a `CodeProblem`. */
export function parseProgram(
  code: string,
  language: 'javascript' | 'typescript',
  options: ParseOptions,
): Program {
  const parser =
    language === 'javascript'
      ? new JavaScriptParser(base, code, options)
      : new TypeScriptParser({ ...base, locations: true }, code, options);
  try {
    return parser.parse();
  } catch (error) {
    throw toProblem(error, code, parser.start);
  }
}

function toProblem(error: unknown, code: string, start: number): CodeProblem {
  if (error instanceof CodeProblem) return error;
  if (error instanceof RangeError) return new CodeRejection('The code is nested too deeply.', start);
  if (!(error instanceof SyntaxError)) throw error;
  if (error.message.startsWith('Not enough stack space'))
    return new CodeRejection('The code is nested too deeply.', start);
  const { pos } = error as { readonly pos?: unknown };
  const at = typeof pos === 'number' ? Math.min(Math.max(pos, 0), code.length) : start;
  return new CodeProblem(describe(error.message.replace(/ \(\d+:\d+\)$/, ''), code, at), at);
}

const MAX_QUOTED = 40;

/** Names the unexpected token, because acorn reports only "Unexpected token". */
function describe(message: string, code: string, at: number): string {
  if (message.startsWith("'import' and 'export'"))
    return code.startsWith('export', at) ? NO_EXPORT : NO_IMPORT;
  if (/^(?:Duplicate export|Export) '/.test(message)) return NO_EXPORT;
  if (message !== 'Unexpected token') return message.endsWith('.') ? message : `${message}.`;
  const [found = ''] = /^(?:[\w$]+|=>|[=!<>]=+|[&|?*+-]{2}|.)/su.exec(code.slice(at, at + MAX_QUOTED)) ?? [];
  return code.slice(at).trim() === ''
    ? 'The code ends too early: a bracket, a quote or an expression is not complete.'
    : `Unexpected \`${found}\`.`;
}
