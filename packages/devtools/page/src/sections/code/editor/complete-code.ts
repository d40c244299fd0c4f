import { snippet } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { DeclarationIndex, DeclaredField, DeclaredFunction } from '../declarations.js';
import { literalsOf, writeProperty } from '../declarations.js';
import { argumentAt } from './code-context.js';

/** Maximum number of functions offered for a word that is not a path. */
const MAX_FOUND = 50;
const MIN_WORD = 2;
/** Maximum length of a path before the cursor. */
const MAX_PATH = 500;

/** Completes function paths level by level, fields of arguments, and the values that a field lists. */
export function completeCode(index: DeclarationIndex, context: CompletionContext): CompletionResult | null {
  return completePath(index, context) ?? completeArgument(index, context) ?? completeWord(index, context);
}

function completePath(index: DeclarationIndex, context: CompletionContext): CompletionResult | null {
  const before = context.state.sliceDoc(Math.max(0, context.pos - MAX_PATH), context.pos);
  const [path] = /\btools\s*\.\s*(?:[\w$]+\s*\.\s*)*[\w$]*$/.exec(before) ?? [];
  if (path === undefined) return null;
  const names = path.replace(/\s+/g, '').split('.').slice(1);
  const typed = names.pop() ?? '';
  const options = index.childrenOf(names.join('.')).flatMap(({ name, declared, size }): Completion[] => [
    ...(declared ? [{ ...describe(declared), label: name, apply: callOf(name, declared) }] : []),
    ...(size > 0
      ? [
          {
            label: name,
            type: 'namespace',
            detail: size === 1 ? '1 function' : `${size} functions`,
            boost: 1,
          },
        ]
      : []),
  ]);
  return { from: context.pos - typed.length, options, validFor: /^[\w$]*$/ };
}

function completeArgument(index: DeclarationIndex, context: CompletionContext): CompletionResult | null {
  const argument = argumentAt(context.state, context.pos);
  const declared = argument && index.find(argument.path);
  if (!argument || !declared) return null;
  const { from, property, given, isInString } = argument;
  if (property !== undefined) {
    const field = declared.fields.find(({ name }) => name === property);
    const literals = literalsOf(field?.type ?? '');
    if (
      literals.length === 0 ||
      (!isInString && from === context.pos && !context.explicit && literals.length > 50)
    )
      return null;
    return {
      from,
      // Keep the author's order, which says more than the alphabet.
      options: literals.map((label, at) => ({ label, type: 'constant', boost: -Math.min(at, 99) })),
      validFor: /^["'\w$ -]*$/,
    };
  }
  if (isInString) return null;
  const options = declared.fields.filter(({ name }) => !given.has(name)).map(toFieldOption);
  return options.length === 0 ? null : { from, options, validFor: /^[\w$]*$/ };
}

function toFieldOption(field: DeclaredField): Completion {
  const { name, type, isRequired, description } = field;
  const written = writeProperty(name);
  return {
    label: name,
    apply: `${written}: `,
    type: 'property',
    detail: `${isRequired ? '' : '?'}: ${clip(type)}`,
    boost: isRequired ? 2 : 0,
    info: () =>
      toInfo(`${name}${isRequired ? '' : '?'}: ${type}`, description, isRequired ? 'Required' : 'Optional'),
  };
}

/** Finds functions by any part of their path. */
function completeWord(index: DeclarationIndex, context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w$]+$/);
  const isAfterDot = word && /\.\s*$/.test(context.state.sliceDoc(Math.max(0, word.from - 20), word.from));
  if (!word || isAfterDot || (word.text.length < MIN_WORD && !context.explicit)) return null;
  const found = index.search(word.text, MAX_FOUND).map((declared) => ({
    ...describe(declared),
    label: `tools.${declared.path}`,
    apply: callOf(`tools.${declared.path}`, declared),
  }));
  const names = ['tools', 'await', 'return', 'const', 'console.log']
    .filter((name) => name.startsWith(word.text))
    .map((label) => ({ label, type: 'keyword' }));
  const options = [...names, ...found];
  return options.length === 0 ? null : { from: word.from, options, filter: false };
}

function describe(declared: DeclaredFunction): Omit<Completion, 'label'> {
  const { signature, description, fields } = declared;
  return {
    type: 'function',
    detail: `(${fields
      .map(({ name, isRequired }) => `${name}${isRequired ? '' : '?'}`)
      .slice(0, 4)
      .join(', ')}${fields.length > 4 ? ', …' : ''})`,
    info: () => toInfo(signature, description),
  };
}

/** Inserts a call with its required fields. Skips names that could be read as part of a template. */
function callOf(name: string, { fields }: DeclaredFunction): NonNullable<Completion['apply']> {
  const required = fields.filter((field) => field.isRequired && /^[\w$]+$/.test(field.name));
  const given = required.map((field) => `${field.name.replaceAll('$', '')}: \${}`);
  const call = snippet(
    given.length > 0
      ? `${name}({ ${given.join(', ')} })\${}`
      : `${name}(${fields.length > 0 ? '{ ${} }' : ''})\${}`,
  );
  return (view, completion, from, to) => {
    const isCalled = view.state.sliceDoc(to, to + 1) === '(';
    if (isCalled)
      view.dispatch({ changes: { from, to, insert: name }, selection: { anchor: from + name.length } });
    else call(view, completion, from, to);
  };
}

/** Builds the panel beside the list. Adds server texts as text nodes, never as markup. */
export function toInfo(title: string, description?: string, note?: string): HTMLElement {
  const panel = document.createElement('div');
  panel.className = 'cm-declaration';
  const add = (name: string, text: string | undefined): void => {
    if (text === undefined || text === '') return;
    const part = document.createElement('div');
    part.className = name;
    part.textContent = clip(text, 2_000);
    panel.append(part);
  };
  add('cm-declaration-title', title);
  add('cm-declaration-note', note);
  add('cm-declaration-text', description);
  return panel;
}

function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
