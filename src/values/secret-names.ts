/** Without any of this a text holds nothing that a pattern could find. Most texts end here. */
const SUSPECT =
  /[:=]|%3|--|eyJ|[Bb][EeAa][AaSs][RrIi]|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./;

/** Whether a text may hold something that a pattern finds. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

/** Whether a key names something secret, in any casing and with any separator. */
export function isSecretName(name: string): boolean {
  return factsOf(name).isSecret;
}

/** Whether a value is secret under its name. */
export function isSecretField(name: string, value: unknown): boolean {
  const { isSecret, isSecretAsText } = factsOf(name);
  return isSecret || (isSecretAsText && typeof value === 'string');
}

/** `{ name: 'Authorization', value: … }`, as lists of headers are written. */
export function isSecretPair(object: object): boolean {
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  const label = name ?? key;
  return typeof label === 'string' && isSecretName(label);
}

/** Whether a name may hold a credential itself. */
export function isSuspectName(name: string): boolean {
  return factsOf(name).isSuspect;
}

/** Whether a name neither promises a secret nor may be one. */
export function isPlainName(name: string): boolean {
  const { isSecret, isSecretAsText, isSuspect: mayBeSecret } = factsOf(name);
  return !isSecret && !isSecretAsText && !mayBeSecret;
}

interface NameFacts {
  readonly isSecret: boolean;
  /** `auth` is mostly an object that one wants to see; as a text it is a credential. */
  readonly isSecretAsText: boolean;
  readonly isSuspect: boolean;
}

const MAX_NAME = 128;
const MAX_KNOWN_NAMES = 2_000;
/** What is found out about a name once: the same few come with every call. */
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

/** How many names were taken apart into words so far. It takes a few microseconds for each, and names may be many. */
export function examinedNames(): number {
  return examined;
}

function judge(name: string): NameFacts {
  const mayHoldSecret = isSuspect(name);
  const end = name.slice(-MAX_NAME);
  const letters = end.toLowerCase().replace(/[^a-z]+/g, '');
  // A request may have 20,000 names. Most of them are harmless at first sight and need not be taken apart.
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
  // These two are the only other characters whose lower case has a letter from a to z.
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
/** A part of every name that `judgeName` finds secret, once everything but its letters is left out. */
const SECRET_LETTERS = new RegExp(
  'auth|bearer|code|cookie|cred|jwt|mnemonic|otp|pass|phrase|pwd|secret|ses|si[dg]|string|token|' +
    `(?:${[...keyKinds].join('|')})key`,
);
const passKinds = setOf('admin auth db ftp http mail my mysql pg postgres proxy redis root smtp ssh user');
/** Words that are secret together: those that may follow each first word. */
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
/** Names that were written without separators. */
const GLUED =
  /passw(?:or)?d(?!less)|passphrase|(?:passcode|secret|credential|cookie|sessionid|sessid|(?:access|api|auth|encryption|master|private|secret|session|signing|ssh)key)s?$|token$/;
