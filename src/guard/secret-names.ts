import { isSuspect } from './suspect-text.js';

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
  const words = wordsOf(name);
  const facts = {
    isSecret: judgeName(words),
    isSecretAsText: words.at(-1) === 'auth' && words.at(-2) !== 'o',
    isSuspect: isSuspect(name),
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
