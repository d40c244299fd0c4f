import { isProse } from './prose.js';
import { isSecretField } from '../../values/secret-names.js';
import type { Span } from './text-spans.js';

/** `name=value`, `name: value`, `"name":"value"`, `user[name]=value`, `name => value`, also percent-encoded. */
const ASSIGNMENT =
  /(?<=(%?)((?:[\w.-]{1,32} )?[\w.-]{1,64})["'`\\\])]{0,4}[ \t]{0,4})(?:[:=]{1,2}>?|%3[ad])[ \t]{0,8}/gi;
/** `--name value`. */
const FLAG = /(?<=(-)-([\w-]{1,64}))[ \t]{1,8}(?!-)/g;

/** Finds the values that stand behind a secret name. Those that are a mark already stay. */
export function findAssignments(text: string, mark: string, spans: Span[]): void {
  for (const pattern of text.includes('--') ? [ASSIGNMENT, FLAG] : [ASSIGNMENT]) {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      const name = assignedName(found[1] === '%', found[2] ?? '');
      if (!isSecretField(name, '')) continue;
      const start = pattern.lastIndex;
      if (text.startsWith(mark, start)) continue;
      // In `name: word` the word may be the rest of a sentence.
      const span = findValue(text, start, { name, mark, maySpeak: /[: \t]$/.test(found[0]) });
      if (span === undefined) continue;
      spans.push(span);
      pattern.lastIndex = Math.max(start, span[1]);
    }
  }
}

function assignedName(isEscaped: boolean, name: string): string {
  const whole = isEscaped && /^[0-9a-f]{2}/i.test(name) ? name.slice(2) : name;
  // Two words only where the second says nothing alone: `API key: …`, `session id: …`.
  return /^\S+ (?!keys?$|id$)/i.test(whole) ? whole.slice(whole.indexOf(' ') + 1) : whole;
}

function findValue(
  text: string,
  start: number,
  { name, mark, maySpeak }: { name: string; mark: string; maySpeak: boolean },
): Span | undefined {
  const quote = matchAt(/\\*["'`]/y, text, start);
  if (quote !== undefined) {
    const from = start + quote.length;
    return notEmpty([from, findQuote(text, from, quote)]);
  }
  const first = text[start];
  if (first === '[' || first === '{') {
    const end = findBracket(text, start);
    return hasContent(text.slice(start, end)) ? [start, end] : undefined;
  }
  if (/authori[sz]ation$/i.test(name)) return findAuthorization(text, start, mark);
  const end = findBareEnd(text, start);
  const word = text.slice(start, end);
  if (maySpeak && isProse(word)) return undefined;
  if (/cookie$/i.test(name)) return notEmpty([start, start + (matchAt(LINE, text, start)?.length ?? 0)]);
  return hasContent(word) && !/^(?:true|false|null|undefined)$/.test(word) ? [start, end] : undefined;
}

const LINE = /[^\r\n"'`\\]*/y;

function findAuthorization(text: string, start: number, mark: string): Span | undefined {
  // These schemes go on with parameters.
  const line = matchAt(/(?:digest|hawk|oauth|signature|aws4-hmac-sha256)[ \t][^\r\n]*/iy, text, start);
  if (line !== undefined) return [start, start + line.length];
  const known = matchAt(/(?:apikey|basic|bearer|dpop|negotiate|ntlm|token)[ \t]+/iy, text, start);
  const from = start + (known?.length ?? 0);
  if (text.startsWith(mark, from) || isProse(text.slice(from, findBareEnd(text, from)))) return undefined;
  const unknown = matchAt(/[A-Za-z][\w-]{1,30}[ \t]{1,8}(?=[\w.~+/=-]{8})/y, text, from);
  const end = findBareEnd(text, from + (known === undefined ? (unknown?.length ?? 0) : 0));
  return hasContent(text.slice(from, end)) ? [from, end] : undefined;
}

function matchAt(sticky: RegExp, text: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0];
}

function notEmpty(span: Span): Span | undefined {
  return span[1] > span[0] ? span : undefined;
}

function hasContent(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Where a value without quotes ends; the punctuation of the sentence around it is not part of it. */
function findBareEnd(text: string, start: number): number {
  let end = start + (matchAt(/[^\s&"'`<>;]*/y, text, start)?.length ?? 0);
  while (end > start && '\\,.)]}:!?'.includes(text[end - 1] as string)) end--;
  return end;
}

/** The closing quote is the opening one, with as many backslashes; without any, a backslash escapes. */
function findQuote(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end < 0 ? text.length : end;
  }
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function findBracket(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '[' || char === '{') depth++;
    else if ((char === ']' || char === '}') && --depth === 0) return at + 1;
    else if (char === '"') at = findQuote(text, at + 1, '"');
  }
  return text.length;
}
