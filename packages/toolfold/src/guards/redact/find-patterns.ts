import { isSecretField } from '../../values/secret-names.js';
import { decodeBase64 } from './credential-forms.js';
import { MARK } from './find-literals.js';
import type { Span } from './find-literals.js';

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
    accepts: (word) => !isPlainWord(word),
  },
  // `basic authentication` is not a credential; base64 of a text with a colon is.
  {
    pattern: /(\bbasic(?:[ \t]|%20|\+){1,8})[\w+/-]{4,}={0,2}/gi,
    accepts: (word) => decodeBase64(word).includes(':'),
  },
  { pattern: /(:\/\/)[^\s/?#"'<>]{1,2000}(?=@)/g },
  // A private key without an end extends to the end of the text.
  {
    pattern:
      /()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?:[^]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[^]*)/g,
  },
];

export function findShapes(text: string, spans: Span[]): void {
  for (const { pattern, accepts } of shapes) {
    for (const { 0: found, 1: before = '', index } of text.matchAll(pattern)) {
      const start = index + before.length;
      const end = index + found.length;
      if (!accepts || accepts(text.slice(start, end))) spans.push([start, end]);
    }
  }
}

/** Matches the separator of `name=value`, `name: value`, `"name":"value"`, `user[name]=value` or `name => value`, also percent-encoded. */
const ASSIGNMENT =
  /(?<=(%?)((?:[\w.-]{1,32} )?[\w.-]{1,64})["'`\\\])]{0,4}[ \t]{0,4})(?:[:=]{1,2}>?|%3[ad])[ \t]{0,8}/gi;
/** Matches the blanks in `--name value`. */
const FLAG = /(?<=(-)-([\w-]{1,64}))[ \t]{1,8}(?!-)/g;

/** Finds the values assigned to secret names. Values that are already redacted are skipped. */
export function findAssignments(text: string, spans: Span[]): void {
  for (const pattern of [ASSIGNMENT, FLAG]) {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      const name = assignedName(found[1] === '%', found[2] ?? '');
      if (!isSecretField(name, '')) continue;
      const start = pattern.lastIndex;
      // In `name: word` the word may belong to a sentence.
      const span = findValue(text, start, name, /[: \t]$/.test(found[0]));
      if (!span || !/[\p{L}\p{N}]/u.test(text.slice(...span))) continue;
      if (!text.startsWith(MARK, span[0])) spans.push(span);
      pattern.lastIndex = span[1];
    }
  }
}

function assignedName(isEscaped: boolean, name: string): string {
  const whole = isEscaped && /^[0-9a-f]{2}/i.test(name) ? name.slice(2) : name;
  // A name has two words only if the second is ambiguous alone: `API key: …`, `session id: …`.
  return /^\S+ (?!keys?$|id$)/i.test(whole) ? whole.slice(whole.indexOf(' ') + 1) : whole;
}

/** Quoted text ends at the same quote that begins it, which may itself be escaped. A backslash escapes the next character. */
const QUOTED = /(\\*["'`])(?:(?!\1)(?:\\[^]|[^]))*/y;
const QUOTE = /\\*["'`]/y;
/** Lists and objects may contain one more level of lists and objects. */
const LISTED = /[[{](?:[^[\]{}]|[[{][^\]}]*[\]}]?)*[\]}]?/y;
const LINE = /[^\r\n"'`\\]*/y;
/** Leaves out the punctuation of the sentence around a value. */
const BARE = /[^\s&"'`<>;]*[^\s&"'`<>;\\,.)\]}:!?…]/y;
/** These schemes continue with parameters up to the end of the line. */
const PARAMETERS = /(?:digest|hawk|oauth|signature|aws4-hmac-sha256)[ \t][^\r\n]*/iy;
const SCHEME = /(?:apikey|basic|bearer|dpop|negotiate|ntlm|token)[ \t]+/iy;
const OTHER_SCHEME = /[A-Za-z][\w-]{1,30}[ \t]{1,8}(?=[\w.~+/=-]{0,64}\d)[\w.~+/=-]{8,}/y;

function findValue(text: string, start: number, name: string, mayBeSentence: boolean): Span | undefined {
  const endOf = (sticky: RegExp, from = start): number | undefined => {
    sticky.lastIndex = from;
    return sticky.test(text) ? sticky.lastIndex : undefined;
  };
  const quoted = endOf(QUOTED);
  if (quoted !== undefined) return [endOf(QUOTE) ?? start, quoted];
  const isAuthorization = /authori[sz]ation$/i.test(name);
  const whole = endOf(LISTED) ?? (isAuthorization ? endOf(PARAMETERS) : undefined);
  if (whole !== undefined) return [start, whole];
  const from = (isAuthorization ? endOf(SCHEME) : undefined) ?? start;
  const end = (isAuthorization ? endOf(OTHER_SCHEME, from) : undefined) ?? endOf(BARE, from) ?? from;
  const word = text.slice(from, end);
  if ((mayBeSentence && isPlainWord(word)) || /^(?:true|false|null|undefined)$/.test(word)) return undefined;
  return [from, /cookie$/i.test(name) ? (endOf(LINE) ?? end) : end];
}

/** Whether a word in the place of a credential belongs to a sentence, as in `token: is missing`. */
function isPlainWord(word: string): boolean {
  return /^[A-Z]?[a-z]{0,14}[.,:]?$/.test(word);
}
