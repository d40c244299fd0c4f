import type { Node } from 'acorn';
import { CodeProblem, CodeRejection, NO_EXPORT, NO_IMPORT, parseProgram } from './prepare-parser.js';
import type { ParseOptions } from './prepare-parser.js';
import { nodesIn } from './prepare-walk.js';

/** Adds the members that the TypeScript plugin sets. */
interface TypedNode extends Node {
  readonly expression?: TypedNode;
  readonly typeAnnotation?: TypedNode | null;
  readonly returnType?: TypedNode | null;
  readonly typeParameters?: TypedNode | null;
  readonly typeArguments?: TypedNode | null;
  readonly superTypeParameters?: TypedNode | null;
  readonly superTypeArguments?: TypedNode | null;
  readonly implements?: readonly TypedNode[];
  readonly params?: readonly TypedNode[];
  readonly decorators?: readonly TypedNode[];
  readonly optional?: boolean;
  readonly definite?: boolean;
  readonly declare?: boolean;
  readonly abstract?: boolean;
  readonly key?: TypedNode;
  readonly id?: TypedNode | null;
  readonly body?: TypedNode | null;
  readonly value?: TypedNode | null;
  readonly name?: string;
  readonly parameters?: readonly TypedNode[];
  readonly declaration?: TypedNode | null;
}

/** Statements and members that exist only for the type checker. */
const typeOnly = new Set([
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
  'TSDeclareFunction',
  'TSDeclareMethod',
  'TSIndexSignature',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
]);

const notErasable: Readonly<Record<string, string>> = {
  TSEnumDeclaration: "`enum` is not supported. Write an object: `const Color = { Red: 'red' } as const`.",
  TSModuleDeclaration: '`namespace` is not supported. Write an object or plain functions.',
  TSParameterProperty:
    'A parameter with `public`, `private`, `protected` or `readonly` is not supported. Declare a field and assign it in the constructor.',
  ImportDeclaration: NO_IMPORT,
  TSImportEqualsDeclaration: NO_IMPORT,
  TSExportAssignment: NO_EXPORT,
  Decorator: 'Decorators are not supported. Call the function directly.',
};

/** Statements that can end with a type and without a semicolon. */
const statements = new Set([
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
  'VariableDeclaration',
  'ExportDefaultDeclaration',
  'PropertyDefinition',
]);

const lineBreaks = '\n\r\u2028\u2029';

/** Examines at most this much white space after a statement. */
const MAX_GAP = 2_000;

/** Replaces the types of code with spaces, so that every other character keeps its line and column. Throws a `CodeProblem`. */
export function eraseTypes(code: string, options: ParseOptions): string {
  const program = parseProgram(code, 'typescript', options);
  const erased = new ErasedCode(code);
  for (const node of nodesIn(program, hasCode)) erased.erase(node);
  return erased.toString();
}

/** Nodes of TypeScript that hold an expression. */
const typedExpressions = new Set([
  'TSAsExpression',
  'TSInstantiationExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
]);

/** Whether code of a node remains, so that its children must be visited. */
const hasCode = (node: TypedNode): boolean =>
  !isTypeOnly(node) && (!node.type.startsWith('TS') || typedExpressions.has(node.type));

const isTypeOnly = (node: TypedNode): boolean =>
  typeOnly.has(node.type) ||
  node.declare === true ||
  (node.abstract === true && node.key !== undefined) ||
  (node.type === 'MethodDefinition' && !node.value?.body) ||
  (node.type === 'ExportNamedDeclaration' && !!node.declaration && isTypeOnly(node.declaration));

class ErasedCode {
  readonly #code: string;
  readonly #units: string[];
  readonly #statementEnds = new Set<number>();

  constructor(code: string) {
    this.#code = code;
    this.#units = code.split('');
  }

  toString(): string {
    return this.#units.join('');
  }

  /** Erases the types of one node, without those of its children. */
  erase(node: TypedNode): void {
    if (isTypeOnly(node)) {
      this.#blank(node.start, node.end);
      this.#units[node.start] = ';';
      return;
    }
    if (statements.has(node.type)) this.#statementEnds.add(node.end);
    const reason = notErasable[node.type];
    if (reason !== undefined) throw new CodeRejection(reason, node.start);
    this.#eraseExpression(node);
    this.#eraseAnnotation(node);
    this.#eraseParameters(node);
    this.#eraseReturnType(node);
    this.#eraseModifiers(node);
    this.#endField(node);
    for (const types of [node.typeArguments, node.superTypeParameters, node.superTypeArguments])
      if (types) this.#blank(types.start, types.end);
  }

  #blank(start: number, end: number): void {
    for (let at = start; at < end; at += 1)
      if (!lineBreaks.includes(this.#code.charAt(at))) this.#units[at] = ' ';
  }

  #eraseExpression({ type, start, end, expression }: TypedNode): void {
    if (!expression) return;
    if (type === 'TSTypeCastExpression')
      throw new CodeProblem('Unexpected `:`. Only parameters and variables have types.', start);
    if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression' || type === 'TSNonNullExpression') {
      this.#blank(expression.end, end);
      if (type !== 'TSNonNullExpression' && this.#needsSemicolon(end)) this.#units[expression.end] = ';';
    }
    if (type !== 'TSTypeAssertion') return;
    // A line break inside the type would end a statement such as `return <T>value`.
    if (this.#code.slice(start, expression.start).includes('\n'))
      throw new CodeRejection('Write `value as Type` instead of `<Type>value`.', start);
    this.#blank(start, expression.start);
  }

  /** Erases `?: Type` and `!: Type`. */
  #eraseAnnotation({
    type,
    start,
    end,
    typeAnnotation,
    optional,
    definite,
    id,
    key,
    value,
  }: TypedNode): void {
    if (typeAnnotation?.type === 'TSTypeAnnotation') {
      this.#blank(typeAnnotation.start, typeAnnotation.end);
      if (optional) this.#blankMark('?', key?.end ?? start, typeAnnotation.start);
      // A field has this mark before its own annotation, a variable before the annotation of its name.
      if (definite) this.#blankMark('!', key?.end ?? start, typeAnnotation.start);
    } else if (optional && (type === 'Identifier' || type.endsWith('Pattern'))) {
      if (this.#code[end - 1] === '?') this.#blank(end - 1, end);
    } else if (optional && key) {
      const at = this.#code.indexOf('?', key.end);
      if (at < (value?.start ?? end)) this.#blank(at, at + 1);
    }
    if (type === 'VariableDeclarator' && definite && id?.typeAnnotation)
      this.#blankMark('!', id.start, id.typeAnnotation.start);
  }

  #blankMark(mark: string, start: number, end: number): void {
    const at = this.#code.lastIndexOf(mark, end - 1);
    if (at >= start) this.#blank(at, at + 1);
  }

  #eraseParameters({ type, params, typeParameters, returnType, body, start }: TypedNode): void {
    if (typeParameters && !type.startsWith('TS')) {
      this.#blank(typeParameters.start, typeParameters.end);
      const open = this.#code.indexOf('(', typeParameters.end);
      // `async` and the parameters of an arrow function must be on one line.
      if (type === 'ArrowFunctionExpression' && this.#hasLineBreak(start, open)) {
        this.#units[typeParameters.start] = '(';
        this.#blank(open, open + 1);
      }
    }
    const [first, second] = params ?? [];
    if (first?.type !== 'Identifier' || first.name !== 'this') return;
    const limit = second?.start ?? returnType?.start ?? body?.start ?? first.end;
    const comma = this.#code.indexOf(',', first.end);
    this.#blank(first.start, comma >= first.end && comma < limit ? comma + 1 : first.end);
  }

  #hasLineBreak(start: number, end: number): boolean {
    return /[\n\r\u2028\u2029]/.test(this.#code.slice(start, end));
  }

  #eraseReturnType({ type, returnType }: TypedNode): void {
    if (!returnType) return;
    this.#blank(returnType.start, returnType.end);
    if (type !== 'ArrowFunctionExpression' || !this.#hasLineBreak(returnType.start, returnType.end)) return;
    // `)` and `=>` must be on one line, so the bracket moves to the end of the type.
    const close = this.#code.lastIndexOf(')', returnType.start);
    this.#blank(close, close + 1);
    this.#units[returnType.end - 1] = ')';
  }

  /** Erases words such as `private` before a member of a class, `abstract` before a class, and `implements`. */
  #eraseModifiers(node: TypedNode): void {
    const { type, start, key, abstract, body, id, typeParameters } = node;
    const interfaces = node.implements ?? [];
    if (interfaces.length > 0 && body) {
      const from = this.#code.lastIndexOf('implements', interfaces[0]?.start);
      this.#blank(from, interfaces.at(-1)?.end ?? from);
    }
    if (abstract) this.#eraseWords(start, id?.start ?? typeParameters?.start ?? body?.start ?? start);
    if (key && (type === 'MethodDefinition' || type === 'PropertyDefinition'))
      this.#eraseWords(start, key.start);
  }

  #eraseWords(start: number, end: number): void {
    const words = /\b(?:abstract|override|private|protected|public|readonly)\b/g;
    for (const { 0: word, index } of this.#code.slice(start, end).matchAll(words))
      this.#blank(start + index, start + index + word.length);
  }

  /** Ends a field without a value, because without its type the next line could continue it. */
  #endField({ type, typeAnnotation, value }: TypedNode): void {
    if (type === 'PropertyDefinition' && typeAnnotation && !value) this.#units[typeAnnotation.start] = ';';
  }

  /** Whether a statement ends here and, without the type that ends it, the next line would continue it. */
  #needsSemicolon(end: number): boolean {
    return this.#statementEnds.has(end) && /^\s*[([`/+-]/.test(this.#code.slice(end, end + MAX_GAP));
  }
}
