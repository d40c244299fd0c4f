import type { Node, Program } from 'acorn';
import {
  CodeProblem,
  CodeRejection,
  newParseOptions,
  NO_EXPORT,
  NO_IMPORT,
  parseProgram,
} from './prepare-parser.js';
import type { ParseOptions } from './prepare-parser.js';
import { returnResult } from './prepare-result.js';
import type { Insertion } from './prepare-result.js';
import { eraseTypes } from './prepare-types.js';
import { nodesIn } from './prepare-walk.js';
import type { RunFailure } from './sandbox.js';

/** The script evaluates to a promise of the result of the code. */
interface PreparedCode {
  readonly script: string;
  /** Names the script in stack traces. `findPosition` reads the shifts of positions from it. */
  readonly fileName: string;
}

const PREFIX = '(async function(){"use strict";';
const SUFFIX = '\n})()';

/**
 * Turns code of a model into a script. Accepts JavaScript and TypeScript, top-level `await` and `return`, and a last expression as the
 * result. All code keeps its line, and its column except where `findPosition` corrects it.
 */
export function prepareCode(code: string): PreparedCode | { readonly failure: RunFailure } {
  const [open, close, ...others] = code.matchAll(/^[ \t]*```.*$/gm);
  // Two blocks would become one with tagged templates between them.
  if (others.length > 0 && /^\s*```/.test(code)) {
    const message = 'The code has several Markdown blocks. Pass only code, without Markdown around it.';
    return { failure: { kind: 'syntax', name: 'SyntaxError', message } };
  }
  const prepared = prepareText(blankFences(code));
  if (!('failure' in prepared) || !open) return prepared;
  // Models often explain their code, so text around a single fenced block is ignored.
  if (close && others.length === 0) {
    const from = open.index + open[0].length;
    return prepareText(
      blank(code.slice(0, from)) + code.slice(from, close.index) + blank(code.slice(close.index)),
    );
  }
  const { failure } = prepared;
  return {
    failure: { ...failure, message: `${failure.message} Pass only code, without Markdown around it.` },
  };
}

function prepareText(text: string): PreparedCode | { readonly failure: RunFailure } {
  try {
    const parsed = parseCode(text);
    rejectMistakes(parsed.program);
    const result = returnResult(parsed.code, parsed.program);
    return {
      script: `${PREFIX}${insert(result.code, result.insertions)}${SUFFIX}`,
      fileName: nameOf(result.code, result.insertions),
    };
  } catch (error) {
    if (!(error instanceof CodeProblem)) throw error;
    const failure = { kind: 'syntax', name: 'SyntaxError', message: error.message } as const;
    return { failure: { ...failure, ...positionOf(text, error.at) } };
  }
}

/** Finds the innermost position of a stack trace that lies in the code, and translates it to the code as the model wrote it. */
export function findPosition(stack: string): { readonly line: number; readonly column: number } | undefined {
  const found = /\bcode((?:@\d+:\d+\+\d+)*)\.js:(\d+):(\d+)/.exec(stack);
  if (!found) return undefined;
  const line = Number(found[2]);
  let column = Number(found[3]);
  if (line === 1) column = Math.max(column - PREFIX.length, 1);
  for (const [, shiftedLine, from, length] of (found[1] ?? '').matchAll(/@(\d+):(\d+)\+(\d+)/g)) {
    if (Number(shiftedLine) === line && column > Number(from))
      column = Math.max(column - Number(length), Number(from));
  }
  return { line, column };
}

const blank = (text: string): string => text.replaceAll(/[^\n\r]/g, ' ');

/** Replaces the Markdown fence around code, and a shebang line, with spaces. */
function blankFences(code: string): string {
  return code
    .replace(/^\s*```[^\n`]*(?=\n)/, blank)
    .replace(/\n[ \t]*```\s*$/, blank)
    .replace(/^#!.*/, blank);
}

interface ParsedCode {
  readonly code: string;
  readonly program: Program;
}

function parseCode(code: string): ParsedCode {
  const options = newParseOptions();
  const parsed = attempt(() => parseInOrder(code, options));
  if (!(parsed instanceof CodeProblem)) return readLastBlock(parsed, options);
  // A parser takes `{ total: 1, count: 2 }` at the end of the code for a block with a syntax error, but the author means an object.
  const objectAt = lastBraceBefore(code, parsed.at);
  if (objectAt === undefined) throw parsed;
  const withObject = attempt(() => parseInOrder(code, { ...options, objectAt }));
  if (withObject instanceof CodeProblem || !endsWithObject(withObject)) throw parsed;
  return withObject;
}

function attempt<T>(action: () => T): T | CodeProblem {
  try {
    return action();
  } catch (error) {
    if (error instanceof CodeProblem && !(error instanceof CodeRejection)) return error;
    throw error;
  }
}

const parseJavaScript = (code: string, options: ParseOptions): ParsedCode => ({
  code,
  program: parseProgram(code, 'javascript', options),
});

const parseTypeScript = (code: string, options: ParseOptions): ParsedCode =>
  parseJavaScript(eraseTypes(code, options), options);

/** Tries JavaScript first, because its parser is faster. But `new Set<string>(names)` is also JavaScript, with two comparisons. */
function parseInOrder(code: string, options: ParseOptions): ParsedCode {
  const looksGeneric = code.includes('<') && /(?<!=)>\s*[(`]/.test(code);
  const [first, second] = looksGeneric
    ? [parseTypeScript, parseJavaScript]
    : [parseJavaScript, parseTypeScript];
  const parsed = attempt(() => first(code, options));
  if (!(parsed instanceof CodeProblem)) return parsed;
  const again = attempt(() => second(code, options));
  if (!(again instanceof CodeProblem)) return again;
  // The parser that understood more of the code has the better message.
  throw again.at > parsed.at || (again.at === parsed.at && !looksGeneric) ? again : parsed;
}

/** Finds the `{` before a syntax error that probably begins an object at the end of the code: the last one with the least indentation. */
function lastBraceBefore(code: string, at: number): number | undefined {
  let found: { readonly at: number; readonly indentation: number } | undefined;
  for (const { 0: line, index } of code.slice(0, at).matchAll(/^[ \t]*\{/gm)) {
    const indentation = line.length - 1;
    if (!found || indentation <= found.indentation) found = { at: index + indentation, indentation };
  }
  return found?.at;
}

const endsWithObject = ({ program }: ParsedCode): boolean => {
  const last = program.body.findLast(({ type }) => type !== 'EmptyStatement');
  return last?.type === 'ExpressionStatement' && last.expression.type === 'ObjectExpression';
};

/** Reads a last statement such as `{ total }` as an object, because such a block does nothing. */
function readLastBlock(parsed: ParsedCode, options: ParseOptions): ParsedCode {
  const last = parsed.program.body.findLast(({ type }) => type !== 'EmptyStatement');
  if (last?.type !== 'BlockStatement') return parsed;
  const withObject = attempt(() => parseJavaScript(parsed.code, { ...options, objectAt: last.start }));
  return withObject instanceof CodeProblem || !endsWithObject(withObject) ? parsed : withObject;
}

const moduleNodes: Readonly<Record<string, string>> = {
  ImportDeclaration: NO_IMPORT,
  ImportExpression: NO_IMPORT,
  ExportNamedDeclaration: NO_EXPORT,
  ExportAllDeclaration: NO_EXPORT,
};

/** A node with the members that the checks below read. */
interface AnyNode extends Node {
  readonly name?: string;
  readonly operator?: string;
  readonly meta?: AnyNode;
  readonly callee?: AnyNode;
  readonly arguments?: readonly AnyNode[];
  readonly async?: boolean;
  readonly body?: AnyNode;
  readonly object?: AnyNode;
  readonly property?: AnyNode;
  readonly id?: AnyNode | null;
  readonly test?: AnyNode | null;
  readonly argument?: AnyNode | null;
  readonly left?: AnyNode;
  readonly right?: AnyNode;
}

/** Methods of lists whose function returns a condition. */
const TESTERS = /^(?:filter|some|every|find(?:Last)?(?:Index)?)$/;

/** Rejects modules and conditions that are promises, and tells the model what to write instead. */
function rejectMistakes(program: Program): void {
  const declared = new Set<string>();
  const used: CodeProblem[] = [];
  const unawaited: CodeProblem[] = [];
  let otherTools = 0;
  for (const node of nodesIn<AnyNode>(program)) {
    const { type, start, name, meta, callee, object, property, id } = node;
    const message = moduleNodes[type];
    if (message !== undefined) throw new CodeProblem(message, start);
    if (meta?.name === 'import') throw new CodeProblem('`import.meta` is not available.', start);
    const tester = TESTERS.test(callee?.property?.name ?? '') ? node.arguments?.[0] : undefined;
    if (tester?.async === true) throw new CodeProblem(ASYNC_TESTER, tester.start);
    if (id?.name !== undefined) declared.add(id.name);
    if (callee?.name === 'require')
      used.push(new CodeProblem(`\`require\` is not available. ${NO_IMPORT}`, start));
    if (object?.name === 'module' && property?.name === 'exports')
      used.push(new CodeProblem(NO_EXPORT, start));
    for (const operand of [...conditionsOf(node), tester?.body])
      if (operand && isToolCall(operand)) unawaited.push(new CodeProblem(UNAWAITED, operand.start));
    if (name === 'tools') otherTools += 1;
    if (object?.name === 'tools') otherTools -= 1;
  }
  const problems = declared.has('require') || declared.has('module') ? [] : used;
  // Otherwise the code may use the name `tools` for something else.
  if (otherTools === 0) problems.push(...unawaited);
  const [first] = problems.toSorted((a, b) => a.at - b.at);
  if (first) throw first;
}

const ASYNC_TESTER =
  'This function returns a promise, which counts as true. Await the values first, with Promise.all and map, and test them then.';
const UNAWAITED = 'This is a promise. Await it first: (await tools.…).';

/** Returns the operands of a node that a promise always gives the same result for. The run cannot see these uses. */
function conditionsOf({
  type,
  operator,
  test,
  argument,
  left,
  right,
}: AnyNode): (AnyNode | null | undefined)[] {
  if (type === 'UnaryExpression') return operator === '!' ? [argument] : [];
  if (type === 'LogicalExpression') return [left];
  if (type === 'BinaryExpression') return /^[!=]==?$/.test(operator ?? '') ? [left, right] : [];
  return type === 'SwitchCase' ? [] : [test];
}

function isToolCall({ callee }: AnyNode): boolean {
  let root = callee;
  while (root?.object) root = root.object;
  return root !== callee && root?.name === 'tools';
}

function insert(code: string, insertions: readonly Insertion[]): string {
  let from = 0;
  let text = '';
  for (const insertion of insertions) {
    text += code.slice(from, insertion.at) + insertion.text;
    from = insertion.at;
  }
  return text + code.slice(from);
}

/** Encodes the insertions that shift code in the script's name, so that positions can be translated even after a snapshot. */
function nameOf(code: string, insertions: readonly Insertion[]): string {
  const shifts = insertions.filter(({ at }) => !/^[\s;]*?(?:\n|\/\/|\/\*|$)/.test(code.slice(at)));
  const marks = shifts.map(({ at, text }) => {
    const { line, column } = positionOf(code, at);
    return `@${line}:${column}+${text.length}`;
  });
  return `code${marks.join('')}.js`;
}

function positionOf(code: string, at: number): { readonly line: number; readonly column: number } {
  const before = code.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
