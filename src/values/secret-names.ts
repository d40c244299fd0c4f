/** A quick test that most texts fail: text without any of these characters cannot contain a credential. */
const SUSPECT =
  /[:=]|%3|--|eyJ|[Bb][EeAa][AaSs][RrIi]|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./;

/** Whether a text may contain a credential, so that the redaction patterns must be tried. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

/** Whether a key names a secret, in any case and with any separator. */
export function isSecretName(name: string): boolean {
  return factsOf(name).isSecret;
}

/** Whether a value is secret because of its name. */
export function isSecretField(name: string, value: unknown): boolean {
  const { isSecret, isSecretAsText } = factsOf(name);
  return isSecret || (isSecretAsText && typeof value === 'string');
}

/** Whether an object is a name-value pair, such as a header, with a secret name: `{ name: 'Authorization', value: … }`. */
export function isSecretPair(object: object): boolean {
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  const label = name ?? key;
  return typeof label === 'string' && isSecretName(label);
}

/** Whether a name may itself contain a credential. */
export function isSuspectName(name: string): boolean {
  return factsOf(name).isSuspect;
}

/** Whether a name neither names a secret nor contains one. */
export function isPlainName(name: string): boolean {
  const { isSecret, isSecretAsText, isSuspect: mayBeSecret } = factsOf(name);
  return !isSecret && !isSecretAsText && !mayBeSecret;
}

interface NameFacts {
  readonly isSecret: boolean;
  /**
   * Whether only text under this name is secret. `auth` is usually an object without secrets, but text under it is a credential.
   */
  readonly isSecretAsText: boolean;
  readonly isSuspect: boolean;
}

const MAX_NAME = 128;
const MAX_KNOWN_NAMES = 2_000;
/** A cache, because every call contains the same few names. */
const knownNames = new Map<string, NameFacts>();

function factsOf(name: string): NameFacts {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const facts = judge(name);
  if (name.length <= MAX_NAME) {
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    knownNames.set(name, facts);
  }
  return facts;
}

let examined = 0;

/**
 * The number of names that were split into words so far, for tests. Splitting takes a few microseconds, and a request may contain
 * many names.
 */
export function examinedNames(): number {
  return examined;
}

function judge(name: string): NameFacts {
  const mayHoldSecret = isSuspect(name);
  const end = name.slice(-MAX_NAME);
  const letters = end.toLowerCase().replace(/[^a-z]+/g, '');
  // Fast path: a request may have 20,000 names, and most contain no letters of a secret word.
  if (!SECRET_LETTERS.test(letters)) return mayHoldSecret ? suspectName : plainName;
  examined++;
  const words = wordsOf(end);
  return {
    isSecret: judgeName(words, letters),
    isSecretAsText: words.at(-1) === 'auth' && words.at(-2) !== 'o',
    isSuspect: mayHoldSecret,
  };
}

const plainName: NameFacts = { isSecret: false, isSecretAsText: false, isSuspect: false };
const suspectName: NameFacts = { ...plainName, isSuspect: true };

function wordsOf(name: string): string[] {
  // The only non-ASCII characters whose lower case contains a letter from a to z.
  const ascii = name.replace(/[\u0130\u212a]/g, (letter) => (letter === '\u0130' ? 'i.' : 'k'));
  return (ascii.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

function judgeName(words: readonly string[], letters: string): boolean {
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
      return ((next === 'key' || next === 'keys') && keyKinds.has(word)) || secretPairs.get(word)?.has(next);
    }) ||
    GLUED.test(letters)
  );
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Last words of names that describe a secret but are none: `token_count`, `password_policy`, `secret_name`. */
const aboutSecrets = setOf(
  'age at attempts budget cost count counts enabled encoding endpoint endpoints estimate exists expiration ' +
    'expired expires expiry field fields format hint in issuer kind len length lifetime limit limits max ' +
    'methods min name names policy present price rate required rotation rules server servers size status ' +
    'strength supported total ttl type types uri uris url urls usage used valid version window',
);
/** Words before `token` that make it harmless: `next_page_token`, `progressToken`, `max_token`. */
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
/** Matches every name that `judgeName` considers secret, reduced to its letters. */
const SECRET_LETTERS = new RegExp(
  'auth|bearer|code|cookie|cred|jwt|mnemonic|otp|pass|phrase|pwd|secret|ses|si[dg]|string|token|' +
    `(?:${[...keyKinds].join('|')})key`,
);
const passKinds = setOf('admin auth db ftp http mail my mysql pg postgres proxy redis root smtp ssh user');
/** Words that are secret only in combination: for each first word, the words that may follow. */
const secretPairs: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['amz', setOf('signature')],
  ['backup', setOf('code codes')],
  ['connect', setOf('sid')],
  ['connection', setOf('string')],
  ['goog', setOf('signature')],
  ['recovery', setOf('code codes')],
  ['seed', setOf('phrase')],
  ['session', setOf('id ids sid')],
]);
/** Secret names without separators. */
const GLUED =
  /passw(?:or)?d(?!less)|passphrase|(?:passcode|secret|credential|cookie|sessionid|sessid|(?:access|api|auth|encryption|master|private|secret|session|signing|ssh)key)s?$|token$/;
