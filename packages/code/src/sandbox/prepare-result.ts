import type { ExportDefaultDeclaration, Node, Pattern, Program } from 'acorn';
import { CodeProblem } from './prepare-parser.js';
import { nodesIn } from './prepare-walk.js';

type TopLevel = Program['body'][number];

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Functions with these names are called if the code defines one and does nothing else. */
const MAIN = /^(?:main|run|execute|handler)$/;

const EXPORT_DEFAULT = 'export default';

/** Makes the value of the last statement, or of the function that is the whole program, the result of the code. */
export function returnResult(
  code: string,
  program: Program,
): { code: string; insertions: readonly Insertion[] } {
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (exported?.type === 'ExportDefaultDeclaration') return returnExport(code, program, exported);
  const main = callMain(code, program.body);
  return { code, insertions: main.length > 0 ? main : [...returnLast(code, program.body, 0)] };
}

function* returnLast(code: string, body: readonly TopLevel[], from: number): Generator<Insertion> {
  const index = body.findLastIndex((statement) => !isDeclaration(statement));
  const last = body[index];
  if (!last) return;
  const isLast = !body.some(({ type, start }) => type === 'FunctionDeclaration' && start > last.start);
  if (last.type === 'VariableDeclaration' && !isLast) return;
  const before = body[index - 1]?.end ?? from;
  // If the expression begins on its own line, insert `return (` after the previous statement, so that columns stay
  // correct.
  yield* returnStatement(code, last, /[\n\r]/.test(code.slice(before, last.start)) ? before : undefined);
}

function* returnStatement(code: string, statement: TopLevel, before?: number): Generator<Insertion> {
  if (statement.type === 'ExpressionStatement') {
    const { start, expression } = statement;
    yield before === undefined ? { at: start, text: 'return (' } : { at: before, text: ';return (' };
    yield { at: expression.end, text: `)${callOf(expression)}` };
  } else if (statement.type === 'VariableDeclaration') {
    const { declarations, end } = statement;
    const names = declarations.flatMap(({ id }) => namesIn(id)).join(',');
    const isOne = declarations.length === 1 && declarations[0]?.id.type === 'Identifier';
    yield { at: end, text: `;return ${isOne ? names : `{${names}}`}` };
  } else if (statement.type === 'BlockStatement') {
    yield* returnLast(code, statement.body, statement.start + 1);
  } else if (statement.type === 'IfStatement') {
    yield* returnStatement(code, statement.consequent);
    if (statement.alternate) yield* returnStatement(code, statement.alternate);
  } else if (statement.type === 'TryStatement') {
    yield* returnStatement(code, statement.block);
    if (statement.handler) yield* returnStatement(code, statement.handler.body);
  }
}

function namesIn(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((part) => namesIn(part.type === 'Property' ? part.value : part));
    case 'ArrayPattern':
      return pattern.elements.flatMap((part) => (part ? namesIn(part) : []));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** Hoisted declarations can follow the last statement. */
function isDeclaration({ type }: TopLevel): boolean {
  return type === 'FunctionDeclaration' || type === 'EmptyStatement';
}

/** Returns the text that calls an expression if it is a function. Code cannot return a function, so the function is the program. */
function callOf(node: Node): string {
  let expression = node as Node & { readonly expression?: Node | boolean };
  while (expression.type === 'ParenthesizedExpression')
    expression = expression.expression as typeof expression;
  const { type, params = [], generator } = expression as FunctionLike;
  const isFunction = type === 'ArrowFunctionExpression' || type.startsWith('Function');
  return isFunction && !generator ? argumentsFor(params) : '';
}

type FunctionLike = Node & { readonly params?: readonly Pattern[]; readonly generator?: boolean };

/** Passes `tools` to a function that is the whole program, if it has a parameter. */
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
