import { isSecretField } from '../../values/secret-names.js';
import { decodeBase64 } from './credential-forms.js';
import type { Span } from './find-literals.js';

/** A fast check: every shape below contains one of these. */
const SHAPED =
  /:\/\/|eyJ|bearer|basic|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./i;
/** A fast check for assignments: a part of every secret name, up to the sign before the value. */
const NAMED =
  /(?:pass|pwd|secret|token|key|auth|cook|cred|sess|sid|sig|jwt|bearer|otp|mnemonic|phrase|code|string)[\w.-]{0,64}(?: [\w.-]{1,64})?["'`\\\])]{0,4}[ \t]{0,4}(?:[:=]|%3)/i;

/** Finds texts that look like a credential, by their shape or by the name before them. */
export function findPatterns(text: string, mark: string, spans: Span[]): void {
  if (SHAPED.test(text)) for (const shape of shapes) findShape(text, shape, spans);
  if (text.includes('PRIVATE KEY')) findPrivateKeys(text, spans);
  if (text.includes('--') || NAMED.test(text)) findAssignments(text, mark, spans);
}

interface Shape {
  /** The first group is not redacted. */
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
}

/**
 * Shapes of well-known credentials. A pattern must not be able to start inside its own match, because the search would
 * take quadratic time.
 */
const shapes: readonly Shape[] = [
  {
    pattern:
      /((?<![\w-])|(?<=%[0-9A-Fa-f]{2}))eyJ[\w-]{5,}(?:\.[\w-]{2,}\.[\w-]*(?:\.[\w-]*){0,2}|(?:\.[\w-]*)?$)/g,
  },
  { pattern: /((?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))sk-(?=[\w-]{0,48}\d)[\w-]{8,}/g },
  {
    pattern:
      /()(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|ya29\.[\w-]{16,}|hf_[A-Za-z0-9]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{8,}|SG\.[\w-]{16,}\.[\w-]{16,})/g,
  },
  {
    pattern: /(\bbearer(?:[ \t]|%20|\+){1,8})(?!\w{1,40}=["'\w])[\w.~+/=:-]{2,}/gi,
    accepts: (word) => !isSentenceWord(word),
  },
  // `basic authentication` is not a credential; base64 of a text with a colon is.
  {
    pattern: /(\bbasic(?:[ \t]|%20|\+){1,8})[\w+/-]{4,}={0,2}/gi,
    accepts: (word) => decodeBase64(word).includes(':'),
  },
  { pattern: /(:\/\/)[^\s/?#"'<>]{1,2000}(?=@)/g },
];

function findShape(text: string, { pattern, accepts }: Shape, spans: Span[]): void {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = found.index + (found[1]?.length ?? 0);
    if (!accepts || accepts(text.slice(start, pattern.lastIndex))) spans.push([start, pattern.lastIndex]);
  }
}

/** A private key without an end extends to the end of the text. */
function findPrivateKeys(text: string, spans: Span[]): void {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
  const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    const stop = end.exec(text) ? end.lastIndex : text.length;
    spans.push([found.index, stop]);
    begin.lastIndex = stop;
  }
}

/** `name=value`, `name: value`, `"name":"value"`, `user[name]=value`, `name => value`, also percent-encoded. */
const ASSIGNMENT =
  /(?<=(%?)((?:[\w.-]{1,32} )?[\w.-]{1,64})["'`\\\])]{0,4}[ \t]{0,4})(?:[:=]{1,2}>?|%3[ad])[ \t]{0,8}/gi;
/** `--name value`. */
const FLAG = /(?<=(-)-([\w-]{1,64}))[ \t]{1,8}(?!-)/g;

/** Finds the values assigned to secret names. Values that are already a mark are skipped. */
export function findAssignments(text: string, mark: string, spans: Span[]): void {
  for (const pattern of text.includes('--') ? [ASSIGNMENT, FLAG] : [ASSIGNMENT]) {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      const name = assignedName(found[1] === '%', found[2] ?? '');
      if (!isSecretField(name, '')) continue;
      const start = pattern.lastIndex;
      if (text.startsWith(mark, start)) continue;
      // In `name: word` the word may belong to a sentence.
      const span = findValue(text, start, { name, mark, mayBeSentence: /[: \t]$/.test(found[0]) });
      if (span === undefined) continue;
      spans.push(span);
      pattern.lastIndex = Math.max(start, span[1]);
    }
  }
}

function assignedName(isEscaped: boolean, name: string): string {
  const whole = isEscaped && /^[0-9a-f]{2}/i.test(name) ? name.slice(2) : name;
  // A name has two words only if the second is ambiguous alone: `API key: …`, `session id: …`.
  return /^\S+ (?!keys?$|id$)/i.test(whole) ? whole.slice(whole.indexOf(' ') + 1) : whole;
}

function findValue(
  text: string,
  start: number,
  { name, mark, mayBeSentence }: { name: string; mark: string; mayBeSentence: boolean },
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
  if (mayBeSentence && isSentenceWord(word)) return undefined;
  if (/cookie$/i.test(name)) return notEmpty([start, start + (matchAt(LINE, text, start)?.length ?? 0)]);
  return hasContent(word) && !/^(?:true|false|null|undefined)$/.test(word) ? [start, end] : undefined;
}

const LINE = /[^\r\n"'`\\]*/y;

function findAuthorization(text: string, start: number, mark: string): Span | undefined {
  // These schemes continue with parameters up to the end of the line.
  const line = matchAt(/(?:digest|hawk|oauth|signature|aws4-hmac-sha256)[ \t][^\r\n]*/iy, text, start);
  if (line !== undefined) return [start, start + line.length];
  const known = matchAt(/(?:apikey|basic|bearer|dpop|negotiate|ntlm|token)[ \t]+/iy, text, start);
  const from = start + (known?.length ?? 0);
  if (text.startsWith(mark, from) || isSentenceWord(text.slice(from, findBareEnd(text, from))))
    return undefined;
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

/** The end of an unquoted value, without the punctuation of the sentence around it. */
function findBareEnd(text: string, start: number): number {
  let end = start + (matchAt(/[^\s&"'`<>;]*/y, text, start)?.length ?? 0);
  while (end > start && '\\,.)]}:!?'.includes(text[end - 1] as string)) end--;
  return end;
}

/**
 * The index of the closing quote. After an escaped quote, the closing quote has the same backslashes; otherwise a
 * backslash escapes the next character.
 */
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

/** Words that follow `password:`, `bearer` or, in a scope, `secrets:` and are not credentials. */
const sentenceWords: ReadonlySet<string> = new Set(
  `a access admin all an and any are array at auth authentication authorization boolean but by can cannot
    challenge could create credential credentials delete denied did does empty error every exactly expected
    expects expired failed field for forbidden format from given got has have header headers in input
    insufficient invalid is it its length list malformed manage may minimum missing must need needs no non
    not null number object of omitted on only optional or please provided read realm received refused
    rejected required revoke revoked scheme schemes should string takes text that the this to token tokens
    too type undefined unexpected unknown unsupported update use value was will with write wrong you your`.split(
    /\s+/,
  ),
);

/** Whether a word in the place of a credential belongs to a sentence, as in `token: is missing`. */
function isSentenceWord(word: string): boolean {
  return word.length <= 20 && sentenceWords.has(word.toLowerCase().replace(/[.,:]$/, ''));
}
