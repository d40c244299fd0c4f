import type { ExportDefaultDeclaration, Node, Pattern, Program } from 'acorn';
import { CodeProblem } from './prepare-parser.js';
import { nodesIn } from './prepare-walk.js';

type TopLevel = Program['body'][number];

/** Text that returns the result, and the index in the code where it is inserted. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Functions with these names are called if the code defines one and does nothing else. */
const MAIN = /^(?:main|run|execute|handler)$/;

const EXPORT_DEFAULT = 'export default';

/** Makes the value of the last expression, or of the function that is the whole program, the result of the code. */
export function returnResult(
  code: string,
  program: Program,
): { code: string; insertions: readonly Insertion[] } {
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (exported?.type === 'ExportDefaultDeclaration') return returnExport(code, program, exported);
  const index = program.body.findLastIndex((statement) => !isDeclaration(statement));
  const last = program.body[index];
  if (last?.type !== 'ExpressionStatement') return { code, insertions: callMain(code, program.body) };
  const { expression } = last;
  const before = program.body[index - 1]?.end ?? 0;
  // On a line of its own, the expression keeps its column if `return (` is inserted behind the previous statement.
  const open = /[\n\r]/.test(code.slice(before, last.start))
    ? { at: before, text: ';return (' }
    : { at: last.start, text: 'return (' };
  return { code, insertions: [open, { at: expression.end, text: `)${callOf(expression)}` }] };
}

/** Declarations that can stand behind the last expression, because they are hoisted. */
function isDeclaration({ type }: TopLevel): boolean {
  return type === 'FunctionDeclaration' || type === 'EmptyStatement';
}

/** The text that calls an expression if it is a function: code cannot return a function, so the function is the program. */
function callOf(node: Node): string {
  let expression = node as Node & { readonly expression?: Node | boolean };
  while (expression.type === 'ParenthesizedExpression')
    expression = expression.expression as typeof expression;
  const { type, params = [], generator } = expression as FunctionLike;
  const isFunction = type === 'ArrowFunctionExpression' || type.startsWith('Function');
  return isFunction && !generator ? argumentsFor(params) : '';
}

type FunctionLike = Node & { readonly params?: readonly Pattern[]; readonly generator?: boolean };

/** The arguments for a function that is the whole program: `tools`, if it has a parameter. */
function argumentsFor([first]: readonly Pattern[]): string {
  if (!first) return '()';
  const wantsProperty =
    first.type === 'ObjectPattern' &&
    first.properties.some(
      (property) =>
        property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'tools',
    );
  return wantsProperty ? '({tools})' : '(tools)';
}

function returnExport(
  code: string,
  { body }: Program,
  { start, declaration }: ExportDefaultDeclaration,
): { code: string; insertions: readonly Insertion[] } {
  const follower = body.find((statement) => statement.start > start && !isDeclaration(statement));
  if (follower)
    throw new CodeProblem(
      'Code after `export default` is not supported. Write `return value` at the end instead.',
      follower.start,
    );
  const length = /^export\s+default/.exec(code.slice(start))?.[0].length ?? EXPORT_DEFAULT.length;
  // `return (` takes the place of `export default`, so that columns stay.
  const keyword = code.slice(start, start + length).replaceAll(/[^\n\r]/g, ' ');
  const replaced = `return${keyword.slice('return'.length, -1)}(`;
  return {
    code: `${code.slice(0, start)}${replaced.includes('\n') ? ` ${replaced}` : replaced}${code.slice(start + length)}`,
    insertions: [{ at: declaration.end, text: `)${callOf(declaration)}` }],
  };
}

/** Calls the main function of a program that only declares. */
function callMain(code: string, body: readonly TopLevel[]): readonly Insertion[] {
  const statements = body.filter(({ type }) => type !== 'EmptyStatement');
  if (!statements.every(({ type }) => type === 'FunctionDeclaration' || type === 'VariableDeclaration'))
    return [];
  for (const statement of statements) {
    const { id, node } = functionOf(statement);
    if (!id || !node || node.generator) continue;
    const isMain = MAIN.test(id) || statements.length === 1;
    if (isMain && !statements.some((other) => other !== statement && mentions(other, id)))
      return [{ at: code.length, text: `\nreturn ${id}${argumentsFor(node.params ?? [])}` }];
  }
  return [];
}

function functionOf(statement: TopLevel): { id?: string | undefined; node?: FunctionLike } {
  if (statement.type === 'FunctionDeclaration') return { id: statement.id.name, node: statement };
  if (statement.type !== 'VariableDeclaration' || statement.declarations.length !== 1) return {};
  const [{ id, init } = { id: undefined, init: undefined }] = statement.declarations;
  if (id?.type !== 'Identifier' || !init) return {};
  return callOf(init) === '' || init.type === 'ParenthesizedExpression' ? {} : { id: id.name, node: init };
}

function mentions(statement: Node, name: string): boolean {
  for (const node of nodesIn(statement)) if ((node as { readonly name?: unknown }).name === name) return true;
  return false;
}
