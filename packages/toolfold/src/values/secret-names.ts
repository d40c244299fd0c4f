const MAX_NAME = 128;
const MAX_KNOWN_NAMES = 2_000;
/** A cache, because every call contains the same few names. */
const knownNames = new Map<string, boolean>();

/** Whether a key names a secret, in any case and with any separator. */
export function isSecretName(name: string): boolean {
  let isSecret = knownNames.get(name);
  if (isSecret !== undefined) return isSecret;
  isSecret = judge(name.slice(-MAX_NAME));
  if (name.length > MAX_NAME) return isSecret;
  if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
  knownNames.set(name, isSecret);
  return isSecret;
}

function judge(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z]+/g, '');
  // Fast path: a request may have 20,000 names, and most contain no letters of a secret word.
  if (!LETTERS.test(letters)) return false;
  const words = wordsOf(name);
  return !HARMLESS.test(words) && (SECRET.test(words) || GLUED.test(letters));
}

/**
 * Whether a value is secret because of its name. `auth` is usually an object without secrets, but text under it is a credential.
 */
export function isSecretField(name: string, value: unknown): boolean {
  if (isSecretName(name)) return true;
  return typeof value === 'string' && /auth$/i.test(name) && /(?<!_o)_auth_$/.test(wordsOf(name));
}

/** Whether an object is a name-value pair, such as a header, with a secret name: `{ name: 'Authorization', value: … }`. */
export function isSecretPair(object: object): boolean {
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  const label = name ?? key;
  return typeof label === 'string' && isSecretName(label);
}

/** Returns the words of a name in lower case, each between underscores: `_api_key_`. */
function wordsOf(name: string): string {
  const words = name.slice(-MAX_NAME).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return `_${words.join('_').toLowerCase()}_`;
}

const anyOf = (words: string): string => `(?:${words.trim().replace(/\s+/g, '|')})`;

const keyKinds = anyOf(
  `access account admin aes api app auth client consumer crypto decryption deploy encryption functions hmac host
   license master private rsa secret server service session shared signing ssh subscription webhook`,
);
const tokenKinds = anyOf('access api auth bearer csrf id oauth personal refresh secret service session');
const passKinds = anyOf('admin auth db ftp http mail my mysql pg postgres proxy redis root smtp ssh user');

const SECRET = new RegExp(
  [
    `_${anyOf(
      `authorisation authorization bearer cookie cookies cred credential credentials creds jwt jwts mnemonic otp
       passcode pwd secret secrets token totp`,
    )}_`,
    `_${keyKinds}_keys?_`,
    `_${tokenKinds}_tokens_$`,
    `^_pass_$|_${passKinds}_pass_$`,
    '^_si[dg]_$|_connect_sid_|_session_(?:ids?|sid)_',
    '_(?:amz|goog)_signature_|_connection_string_|_seed_phrase_|_(?:backup|recovery)_codes?_',
  ].join('|'),
);

/** Names with a secret word that are not secret, such as `token_count`, `password_policy`, `next_page_token` and `boarding_pass`. */
const HARMLESS = new RegExp(
  [
    `_${anyOf(
      `age at attempts budget cost count counts enabled encoding endpoint endpoints estimate exists expiration expired
       expires expiry field fields format hint in issuer kind len length lifetime limit limits max methods min name
       names policy present price rate required rotation rules server servers size status strength supported total
       ttl type types uri uris url urls usage used valid version window`,
    )}_$`,
    `_${anyOf(
      `bos continuation cursor each end eos first last max min next num pad page pagination per prev previous
       progress resume special start stop sync unk`,
    )}_token_$`,
    '_token_ids_$',
    `(?<!_${tokenKinds})_tokens_$`,
    `(?<!^|_${passKinds})_pass_$`,
  ].join('|'),
);

/** Secret names whose words are written without separators. */
const GLUED =
  /passw(?:or)?d(?!less)|passphrase|(?:passcode|secret|credential|cookie|sessionid|sessid|(?:access|api|auth|encryption|master|private|secret|session|signing|ssh)key)s?$|token$/;

/** A quick check before the exact one: it matches every secret name, and few others. */
const LETTERS = new RegExp(
  `auth|bearer|code|cookie|cred|jwt|mnemonic|otp|pass|phrase|pwd|secret|ses|si[dg]|string|token|${keyKinds}key`,
);
