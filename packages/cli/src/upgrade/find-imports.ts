import { movedImports, packagesOfOptions } from './moved-imports.js';

/**
 * Code that may precede the path of an import: tokens separated by single spaces. Methods with such names are not
 * imports.
 */
const BEFORE_PATH = new RegExp(
  [
    String.raw`(?:import|export)(?: type)?(?: [\w$]+)?(?: ,)?(?: \*(?: as [\w$]+)?| \{[^{}]*\})? from`,
    'import',
    'declare module',
    String.raw`import(?: \. meta \. resolve)? \(`,
    String.raw`require(?: \. resolve)?(?: <.*>)? \(`,
    String.raw`(?:vi|vitest|jest) \. (?:(?:do)?(?:[mM]ock|[uU]nmock)|(?:import|require)(?:Actual|Mock))(?: <.*>)? \(`,
  ]
    .map((pattern) => String.raw`(?<!\. )\b${pattern}$`)
    .join('|'),
);
/** Types of JavaScript programs are imported in comments. */
const IN_COMMENT = /(?:\bimport\(|@import\b[^'"@]*\bfrom)\s*["']/g;
/** More tokens than the longest list of imported names has. */
const MAX_TOKENS = 2_000;

/** Finds the positions of moved paths in the import positions of a program, and the packages that its options need. */
export function findImports(text: string): { readonly at: Set<number>; readonly packages: Set<string> } {
  const found = { at: new Set<number>(), packages: new Set<string>() };
  const before: string[] = [];
  for (const { token, at } of readTokens(text)) {
    if (token.startsWith('/**'))
      for (const match of token.matchAll(IN_COMMENT)) found.at.add(at + match.index + match[0].length);
    if (isBlank(token)) continue;
    const value = token.slice(1, -1);
    const needed = before.at(-1) === ':' && packagesOfOptions[`${before.at(-2)}: '${value}'`];
    if (needed) found.packages.add(needed);
    if (Object.hasOwn(movedImports, value) && BEFORE_PATH.test(before.slice(-MAX_TOKENS).join(' ')))
      found.at.add(at + 1);
    // Replace the dots of a spread, because `import` after a dot would count as a method.
    before.push(token === '...' ? ',' : token);
  }
  return found;
}

const isBlank = (token: string): boolean => /^(?:\s|\/[/*])/.test(token);

/** A comment, a string, a word, spaces, three dots, or another character. */
const TOKEN = /\/\/.*|\/\*[^]*?\*\/|(["'])(?:\\[^]|(?!\1)[^\\\r\n])*\1|[\w$]+|\s+|\.{3}|[^]/y;
const TEMPLATE = /[`}](?:\\[^]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y;
const REGEXP = /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]|[^/\\[\r\n])+\/\w*/y;
/** A slash after one of these starts a regular expression. Elsewhere it divides, or ends a JSX tag. */
const BEFORE_REGEXP = /^$|[^\w$)\]}"'`<]$|^(?:return|typeof|case|in|of|else|yield|await)$/;

/**
 * Splits a program into tokens without parsing it, so that every dialect can be read, and programs with mistakes. A quote in a text
 * of JSX can hide imports on the same line.
 */
function* readTokens(text: string): Generator<{ readonly token: string; readonly at: number }> {
  /** The number of open braces in each `${…}` of a template. */
  const open: number[] = [];
  let last = '';
  for (let at = 0; at < text.length;) {
    const char = text[at];
    const isTemplate = char === '`' || (char === '}' && open.at(-1) === 0);
    const token = String(
      (isTemplate && matchAt(TEMPLATE, text, at)) ||
        (char === '/' && BEFORE_REGEXP.test(last) && matchAt(REGEXP, text, at)) ||
        matchAt(TOKEN, text, at),
    );
    if (isTemplate && char === '}') open.pop();
    if (isTemplate && token.endsWith('${')) open.push(0);
    else if (open.length > 0 && (token === '{' || token === '}'))
      open.push(Number(open.pop()) + (token === '{' ? 1 : -1));
    yield { token, at };
    if (!isBlank(token)) last = token;
    at += token.length;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
