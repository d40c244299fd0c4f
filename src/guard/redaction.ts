/** Takes credentials out of texts and values before they leave: as answers, details or log lines. */
export interface Redactor {
  /** The text without credentials. */
  text(text: string): string;
  /** A copy that JSON can say, without credentials. Never throws. */
  value(value: unknown): unknown;
}

export interface RedactorOptions {
  /** Whether errors keep their stack. Default: no. */
  readonly stacks?: boolean;
}

/** A redactor for anything that looks like a credential, and for the given ones wherever they stand. */
export function createRedactor(
  credentials: readonly string[] = [],
  { stacks = false }: RedactorOptions = {},
): Redactor {
  const literals = createLiterals(credentials);
  const mark = chooseMark(literals.all);

  const text = (given: string): string => {
    let current = given;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const suspect = SUSPECT.test(current);
      if (!suspect && current.length < literals.shortest) return current;
      const spans: Span[] = [];
      if (suspect) findPatterns(current, mark, spans);
      literals.find(current, spans);
      const next = replaceSpans(current, spans, mark);
      // Whatever is returned here is a text in which nothing more is found, so doing it again changes nothing.
      if (next === current) return current;
      current = next;
    }
    return mark;
  };
  const options = { text, mark, stacks, shortest: literals.shortest };
  return { text, value: (value) => new ValueCopy(options).copy(value, undefined) };
}

// ─── names ───────────────────────────────────────────────────────────────────────────────────────────────

const MAX_NAME = 128;
const MAX_KNOWN_NAMES = 2_000;
const knownNames = new Map<string, NameFacts>();

/** What is found out about a name once: the same few come with every call. */
interface NameFacts {
  readonly isSecret: boolean;
  /** `auth` is mostly an object that one wants to see; as a text it is a credential. */
  readonly isSecretAsText: boolean;
  /** Whether the name may hold a credential itself. */
  readonly isSuspect: boolean;
}

/** Whether a key names something secret, in any casing and with any separator. */
export function isSecretName(name: string): boolean {
  return factsOf(name).isSecret;
}

function isSecretField(name: string, value: unknown): boolean {
  const { isSecret, isSecretAsText } = factsOf(name);
  return isSecret || (isSecretAsText && typeof value === 'string');
}

function factsOf(name: string): NameFacts {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const words = wordsOf(name);
  const facts = {
    isSecret: judgeName(words),
    isSecretAsText: words.at(-1) === 'auth' && words.at(-2) !== 'o',
    isSuspect: SUSPECT.test(name),
  };
  if (name.length <= MAX_NAME) {
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    knownNames.set(name, facts);
  }
  return facts;
}

function wordsOf(name: string): string[] {
  return name
    .slice(-MAX_NAME)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** `token_count`, `password_policy`, `secret_name`: about a secret, not one. */
const aboutSecrets = setOf(
  'age at attempts budget cost count counts enabled encoding endpoint endpoints estimate exists expiration ' +
    'expired expires expiry field fields format hint in issuer kind len length lifetime limit limits max ' +
    'methods min name names policy present price rate required rotation rules server servers size status ' +
    'strength supported total ttl type types uri uris url urls usage used valid version window',
);
/** `next_page_token`, `progressToken`, `max_token`: tokens that open nothing. */
const innocentTokens = setOf(
  'bos continuation cursor each end eos first last max min next num pad page pagination per prev previous ' +
    'progress resume special start stop sync unk',
);
const tokenKinds = setOf('access api auth bearer csrf id oauth personal refresh secret service session');
const secretWords = setOf(
  'authorisation authorization bearer cookie cookies cred credential credentials creds jwt jwts mnemonic otp ' +
    'passcode pwd secret secrets token totp',
);
const keyKinds = setOf(
  'access account admin aes api app auth client consumer crypto decryption deploy encryption functions hmac ' +
    'host license master private rsa secret server service session shared signing ssh subscription webhook',
);
const passKinds = setOf('admin auth db ftp http mail my mysql pg postgres proxy redis root smtp ssh user');
/** Words that are secret together. */
const secretPairs = setOf(
  'backup-code backup-codes connect-sid connection-string recovery-code recovery-codes seed-phrase session-id ' +
    'session-ids session-sid amz-signature goog-signature',
);
/** Names that were written without separators. */
const GLUED =
  /passw(?:or)?d(?!less)|passphrase|(?:passcode|secret|credential|cookie|sessionid|sessid|(?:access|api|auth|encryption|master|private|secret|session|signing|ssh)key)s?$|token$/;

function judgeName(words: readonly string[]): boolean {
  const last = words.at(-1);
  if (last === undefined || aboutSecrets.has(last)) return false;
  const previous = words.at(-2) ?? '';
  if (last === 'token' && innocentTokens.has(previous)) return false;
  if (last === 'ids' && previous === 'token') return false;
  if (last === 'tokens') return tokenKinds.has(previous);
  if (last === 'pass') return words.length === 1 || passKinds.has(previous);
  if (words.length === 1 && (last === 'sid' || last === 'sig')) return true;
  return (
    words.some((word) => secretWords.has(word)) ||
    words.some((word, index) => {
      const next = words[index + 1];
      if (next === undefined) return false;
      return (
        (keyKinds.has(word) && (next === 'key' || next === 'keys')) || secretPairs.has(`${word}-${next}`)
      );
    }) ||
    GLUED.test(words.join(''))
  );
}

/** What tells only whether there is a secret. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || value === '';
}

// ─── what looks like a credential ────────────────────────────────────────────────────────────────────────

/** From where to where a text is secret. */
type Span = [start: number, end: number];

/** Without any of this a text holds nothing that a pattern below could find. Most texts end here. */
const SUSPECT =
  /[:=]|%3|--|eyJ|[Bb][EeAa][AaSs][RrIi]|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./;
const SHAPED =
  /:\/\/|eyJ|bearer|basic|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./i;

/** A part of every secret name. */
const NAMED =
  /pass|pwd|secret|token|key|auth|cook|cred|sess|sid|sig|jwt|bearer|otp|mnemonic|phrase|code|string/i;

interface Shape {
  /** Its first group is what stays. */
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
}

/** A run starts once: a pattern that could start anywhere inside of its own run would take quadratic time. */
const shapes: readonly Shape[] = [
  { pattern: /((?<![\w-])|(?<=%[0-9A-Fa-f]{2}))eyJ[\w-]{5,}\.[\w-]{2,}\.[\w-]*(?:\.[\w-]*){0,2}/g },
  { pattern: /((?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}))sk-(?=[\w-]{0,48}\d)[\w-]{8,}/g },
  {
    pattern:
      /()(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|ya29\.[\w-]{16,}|hf_[A-Za-z0-9]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{8,}|SG\.[\w-]{16,}\.[\w-]{16,})/g,
  },
  {
    pattern: /(\bbearer(?:[ \t]|%20|\+){1,8})(?!\w{1,40}=["'\w])[\w.~+/=:-]{2,}/gi,
    accepts: (word) => !isProse(word),
  },
  // `basic authentication` is no credential; base64 of something with a colon is.
  {
    pattern: /(\bbasic(?:[ \t]|%20|\+){1,8})[\w+/-]{4,}={0,2}/gi,
    accepts: (word) => decode(word).includes(':'),
  },
  { pattern: /(:\/\/)[^\s/?#"'<>]{1,2000}(?=@)/g },
];

/** Words that follow `password:`, `bearer` or, in a scope, `secrets:` and are no credentials. */
const prose = setOf(
  'a access admin all an and any are array at auth authentication authorization boolean but by can cannot ' +
    'challenge could create credential credentials delete denied did does empty error every exactly expected ' +
    'expects expired failed field for forbidden format from given got has have header headers in input ' +
    'insufficient invalid is it its length list malformed manage may minimum missing must need needs no non not ' +
    'null number object of omitted on only optional or please provided read realm received refused rejected ' +
    'required revoke revoked scheme schemes should string takes text that the this to token tokens too type ' +
    'undefined unexpected unknown unsupported update use value was will with write wrong you your',
);

function isProse(word: string): boolean {
  return word.length <= 20 && prose.has(word.toLowerCase().replace(/[.,:]$/, ''));
}

function decode(base64: string): string {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

function findPatterns(text: string, mark: string, spans: Span[]): void {
  if (SHAPED.test(text)) for (const shape of shapes) findShape(text, shape, spans);
  if (text.includes('PRIVATE KEY')) findPrivateKeys(text, spans);
  if (NAMED.test(text)) findAssignments(text, mark, spans);
}

function findShape(text: string, { pattern, accepts }: Shape, spans: Span[]): void {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = found.index + (found[1]?.length ?? 0);
    if (!accepts || accepts(text.slice(start, pattern.lastIndex))) spans.push([start, pattern.lastIndex]);
  }
}

/** A key whose end is missing goes on to the end of the text. */
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

function findAssignments(text: string, mark: string, spans: Span[]): void {
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

/** All spans at once, on the text as it was: none can hide a part of another. */
function replaceSpans(text: string, spans: Span[], mark: string): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const pieces: string[] = [];
  let done = 0;
  for (let index = 0; index < spans.length;) {
    const [start, first] = spans[index++] as Span;
    let end = first;
    for (let next = spans[index]; next && next[0] <= end; next = spans[++index]) end = Math.max(end, next[1]);
    pieces.push(text.slice(done, start), mark);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

// ─── given credentials ───────────────────────────────────────────────────────────────────────────────────

/** Shorter ones would take every `1` and `yes` out of every text and say little themselves. */
const MIN_LENGTH = 4;
/** Longer ones are looked for in pieces: a part of a long secret is secret too, and the search stays linear. */
const PIECE = 32;
/** Above this, only the plain and the JSON form are looked for. */
const MAX_ENCODED = 8_192;
/** Above this many of one length, one pass over the text is cheaper than one search each. */
const MAX_SEARCHES = 16;
const MAX_ROUNDS = 6;

/** The later ones are for credentials that are themselves a part of the first. */
const marks = ['[redacted]', '***', '<hidden>'];
const saysNothing = setOf('basic bearer false none null true undefined');

interface Literals {
  readonly all: readonly string[];
  readonly shortest: number;
  find(text: string, spans: Span[]): void;
}

function createLiterals(credentials: readonly string[]): Literals {
  const byLength = new Map<number, Set<string>>();
  const add = (literal: string): void => {
    const same = byLength.get(literal.length);
    if (same) same.add(literal);
    else byLength.set(literal.length, new Set([literal]));
  };
  for (const credential of new Set(credentials)) {
    if (!isCredential(credential)) continue;
    for (const form of formsOf(credential)) {
      if (form.length <= PIECE) add(form);
      else {
        for (let at = 0; at + PIECE <= form.length; at += PIECE) add(form.slice(at, at + PIECE));
        add(form.slice(-PIECE));
      }
    }
  }
  return {
    all: [...byLength.values()].flatMap((same) => [...same]),
    shortest: Math.min(Infinity, ...byLength.keys()),
    find(text, spans) {
      for (const [length, same] of byLength) {
        if (length > text.length) continue;
        if (same.size > MAX_SEARCHES) findWindows(text, length, same, spans);
        else for (const literal of same) findLiteral(text, literal, spans);
      }
    },
  };
}

function isCredential(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= MIN_LENGTH && !saysNothing.has(trimmed.toLowerCase()) && !marks.includes(trimmed);
}

function findLiteral(text: string, literal: string, spans: Span[]): void {
  let last: Span | undefined;
  // One further each time, since a credential may overlap itself.
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
    if (last && at <= last[1]) last[1] = at + literal.length;
    else spans.push((last = [at, at + literal.length]));
  }
}

function findWindows(text: string, length: number, literals: ReadonlySet<string>, spans: Span[]): void {
  let last: Span | undefined;
  for (let at = 0; at + length <= text.length; at++) {
    if (!literals.has(text.slice(at, at + length))) continue;
    if (last && at <= last[1]) last[1] = at + length;
    else spans.push((last = [at, at + length]));
  }
}

/** A credential as it may stand in a text. */
function formsOf(credential: string): Set<string> {
  const forms = new Set<string>();
  for (const plain of new Set([credential, credential.trim()])) {
    const json = quoteJson(plain);
    forms.add(plain).add(json).add(quoteJson(json)).add(unquoteJson(plain));
    forms.add(json.replaceAll('/', '\\/')).add(escapeNonAscii(json));
    if (plain.length > MAX_ENCODED) continue;
    const form = new URLSearchParams({ v: plain }).toString().slice(2);
    const whole = plain.replace(/\p{Surrogate}/gu, '\uFFFD');
    for (const url of [form, form.replaceAll('+', '%20'), encodeURIComponent(whole), encodeURI(whole)]) {
      forms.add(url).add(url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()));
    }
    for (const base64 of toBase64(plain)) {
      forms.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return new Set([...forms].filter((form) => form.length >= MIN_LENGTH));
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that JSON would write as this one. */
function unquoteJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function escapeNonAscii(text: string): string {
  return text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** In base64 alone, and as what it always looks like inside of something longer, such as `user:secret`. */
function toBase64(text: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  const whole = btoa(bytes);
  const inside = [0, 1, 2].map((offset) => {
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    return btoa('\0'.repeat(offset) + bytes).slice(start, end);
  });
  return [whole, whole.replaceAll('=', ''), ...inside];
}

/** The mark must not hold a credential, nor form one together with the text beside it. */
function chooseMark(literals: readonly string[]): string {
  const mark = marks.find((candidate) => literals.every((literal) => keepsApart(candidate, literal)));
  if (mark !== undefined) return mark;
  // A character that no credential has.
  const used = new Set(literals.join(''));
  let code = 0x2588;
  while (used.has(String.fromCharCode(code)) && code < 0xd7ff) code++;
  return String.fromCharCode(code);
}

function keepsApart(mark: string, literal: string): boolean {
  if (mark.includes(literal) || literal.includes(mark)) return false;
  for (let length = 1; length < mark.length; length++) {
    if (literal.startsWith(mark.slice(-length)) || literal.endsWith(mark.slice(0, length))) return false;
  }
  return true;
}

// ─── values ──────────────────────────────────────────────────────────────────────────────────────────────

const MAX_DEPTH = 16;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 500_000;

interface CopyOptions {
  readonly text: (text: string) => string;
  readonly mark: string;
  readonly stacks: boolean;
  /** Nothing shorter than this can hold one of the given credentials. */
  readonly shortest: number;
}

/** The objects that a value stands in. */
interface Place {
  readonly object: object;
  readonly depth: number;
  readonly outer: Place | undefined;
}

/** One copy, with what may still go into it. */
class ValueCopy {
  readonly #options: CopyOptions;
  #values = MAX_VALUES;
  #characters = MAX_CHARACTERS;

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  copy(value: unknown, place: Place | undefined): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return this.#number(value);
      case 'object':
        return value === null ? null : this.#object(value, place);
      case 'boolean':
      case 'undefined':
        return value;
      case 'function':
        return this.#text('[function]');
      default:
        return this.#text(String(value));
    }
  }

  #text(given: string): string {
    const text = this.#options.text(given);
    this.#characters -= text.length;
    if (this.#characters >= 0) return text;
    const rest = Math.max(0, text.length + this.#characters);
    this.#characters = 0;
    return this.#options.text(`${text.slice(0, rest)}…`);
  }

  #name(name: string): string {
    if (name.length >= this.#options.shortest || factsOf(name).isSuspect) return this.#text(name);
    this.#characters -= name.length;
    return this.#characters >= 0 ? name : this.#text(name);
  }

  #number(value: number): unknown {
    if (!Number.isFinite(value)) return this.#text(String(value));
    const text = String(value);
    if (text.length < this.#options.shortest) return value;
    return this.#options.text(text) === text ? value : this.#options.mark;
  }

  #object(object: object, outer: Place | undefined): unknown {
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) return this.#text('[too deep]');
    for (let place = outer; place; place = place.outer) {
      if (place.object === object) return this.#text('[circular]');
    }
    try {
      return this.#contents(object, { object, depth, outer });
    } catch {
      // A proxy or a method of the object threw.
      return this.#text('[unreadable]');
    }
  }

  #contents(object: object, place: Place): unknown {
    if (Array.isArray(object)) return this.#list(object, place);
    const source = object as Readonly<Record<string, unknown>>;
    if (typeof source['toJSON'] !== 'function' && Object.getPrototypeOf(object) === Object.prototype) {
      return this.#record(Object.keys(object), (key) => source[key], place);
    }
    if (isError(object)) return this.#error(object, place);
    if (object instanceof Map) {
      const values = [...object.values()];
      const names = Array.from(object.keys(), (key) => (isObject(key) ? '[object]' : String(key)));
      return this.#record(names, (_, index) => values[index], place);
    }
    if (object instanceof Set) return this.#list([...object], place);
    if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
      return this.#text(`[${object.byteLength} bytes]`);
    }
    if (typeof source['toJSON'] === 'function') return this.copy(source['toJSON'](), place);
    if (object instanceof RegExp || object instanceof URLSearchParams) return this.#text(String(object));
    // As an object, a text is its letters one by one.
    if (boxed.has(tagOf(object))) return this.copy(object.valueOf(), place);
    return this.#record(Object.keys(object), (key) => source[key], place);
  }

  #list(items: readonly unknown[], place: Place): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < items.length; index++) {
      if (--this.#values < 0) {
        copy.push(this.#text('[cut]'));
        break;
      }
      copy.push(this.copy(items[index], place) ?? null);
    }
    return copy;
  }

  #error(error: Error, place: Place): unknown {
    const names = new Set(['name', 'message', ...Object.keys(error)]);
    for (const hidden of ['errors', 'cause']) if (Object.hasOwn(error, hidden)) names.add(hidden);
    if (this.#options.stacks) names.add('stack');
    else names.delete('stack');
    return this.#record([...names], (key) => (error as unknown as Record<string, unknown>)[key], place);
  }

  #record(
    names: readonly string[],
    read: (name: string, index: number) => unknown,
    place: Place,
  ): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (--this.#values < 0) {
        copy[this.#text('…')] = this.#text('[cut]');
        break;
      }
      const value = this.#field(name, index, read, place);
      if (value !== undefined) setField(copy, this.#name(name), index, value);
    }
    return copy;
  }

  #field(name: string, index: number, read: (name: string, index: number) => unknown, place: Place): unknown {
    let value: unknown;
    try {
      value = read(name, index);
    } catch {
      return this.#text('[unreadable]');
    }
    if (isBlank(value)) return value;
    const isSecret = isSecretField(name, value) || (name === 'value' && isSecretPair(place.object));
    return isSecret ? this.#options.mark : this.copy(value, place);
  }
}

const boxed: ReadonlySet<string> = new Set(['[object String]', '[object Number]', '[object Boolean]']);

function tagOf(object: object): string {
  return Object.prototype.toString.call(object);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Errors of another realm are errors too. */
function isError(object: object): object is Error {
  return object instanceof Error || tagOf(object) === '[object Error]';
}

/** `{ name: 'Authorization', value: … }`, as lists of headers are written. */
function isSecretPair(object: object): boolean {
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  const label = name ?? key;
  return typeof label === 'string' && isSecretName(label);
}

/** Names that became equal do not overwrite each other. */
function setField(record: Record<string, unknown>, name: string, index: number, value: unknown): void {
  let free = name;
  for (let number = index + 1; Object.hasOwn(record, free); number++) free = `${name} ${number}`;
  if (free !== '__proto__') record[free] = value;
  else Object.defineProperty(record, free, { value, enumerable: true, configurable: true, writable: true });
}

// ─── what a call holds ───────────────────────────────────────────────────────────────────────────────────

const MAX_CREDENTIALS = 100;
const MAX_READ = 20_000;
const MAX_CHILDREN = 1_000;
const MAX_COLLECT_DEPTH = 8;

/** The credentials in the given contexts, arguments and callers: every text under a secret name, nearest first. */
export function collectCredentials(...roots: readonly unknown[]): string[] {
  const found = new Set<string>();
  const seen = new Map<object, boolean>();
  const queue: { value: unknown; depth: number; isSecret: boolean }[] = [];
  for (const value of roots) {
    // Known places are read even where a class offers them as accessors.
    for (const path of [['accessToken'], ['caller', 'auth', 'token'], ['auth', 'token'], ['token']]) {
      queue.push({ value: readPath(value, path), depth: 0, isSecret: true });
    }
    queue.push({ value, depth: 0, isSecret: false });
  }
  let reads = 0;
  for (let head = 0; head < queue.length && found.size < MAX_CREDENTIALS; head++) {
    const { value, depth, isSecret } = queue[head] as (typeof queue)[number];
    if (!isObject(value)) {
      if (isSecret) addCredential(value, found);
      continue;
    }
    if (depth >= MAX_COLLECT_DEPTH || seen.get(value) === true || seen.get(value) === isSecret) continue;
    seen.set(value, isSecret);
    for (const [name, child] of childrenOf(value)) {
      if (++reads > MAX_READ) break;
      const isChildSecret =
        isSecret || isSecretField(name, child) || (name === 'value' && isSecretPair(value));
      if (isChildSecret || isObject(child))
        queue.push({ value: child, depth: depth + 1, isSecret: isChildSecret });
    }
  }
  return [...found].slice(0, MAX_CREDENTIALS);
}

function readPath(root: unknown, path: readonly string[]): unknown {
  try {
    let value = root;
    for (const name of path) {
      if (!isObject(value)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[name];
    }
    return value;
  } catch {
    return undefined;
  }
}

/** Accessors run code, so only those are read whose name promises a secret. */
function childrenOf(object: object): [name: string, child: unknown][] {
  try {
    if (ArrayBuffer.isView(object)) return [];
    if (object instanceof Map)
      return Array.from(object, ([key, child]) => [isObject(key) ? '' : String(key), child]);
    if (object instanceof Set) return Array.from(object, (child) => ['', child]);
    if (Array.isArray(object)) return object.slice(0, MAX_CHILDREN).map((child) => ['', child]);
    return Object.keys(object)
      .slice(0, MAX_CHILDREN)
      .map((name) => {
        const field = Object.getOwnPropertyDescriptor(object, name);
        if (field && 'value' in field) return [name, field.value];
        return [name, isSecretName(name) ? readPath(object, [name]) : undefined];
      });
  } catch {
    // A proxy that does not let itself be read holds nothing that could be copied into a text either.
    return [];
  }
}

function addCredential(value: unknown, found: Set<string>): void {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return;
  const text = String(value);
  for (const part of [text, ...partsOf(text)]) if (isCredential(part)) found.add(part);
}

/** What of a header, a cookie or a connection string is secret by itself. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  const scheme = /^\s*([A-Za-z][\w-]{1,30})[ \t]+(\S+)\s*$/.exec(text);
  if (scheme?.[2] !== undefined) {
    parts.push(scheme[2]);
    if (scheme[1]?.toLowerCase() === 'basic') parts.push(decode(scheme[2]).replace(/^[^:]*:/, ''));
  }
  if (/^[^\s=;]{1,128}=/.test(text)) {
    // Short cookies are settings such as `theme=dark`.
    for (const cookie of text.split(';').slice(0, 50)) {
      const content = cookie.slice(cookie.indexOf('=') + 1).trim();
      if (content.length >= 8) parts.push(content);
    }
  }
  const password = /:\/\/[^\s/?#:@]*:([^\s/?#]*)@/.exec(text)?.[1];
  if (password !== undefined) parts.push(password);
  return parts;
}
