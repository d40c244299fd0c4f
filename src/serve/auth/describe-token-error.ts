const descriptions: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The access token has expired.',
  ERR_JWKS_NO_MATCHING_KEY: 'The access token is signed with a key that is not known.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The access token does not say with which key it is signed.',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The access token is signed in a way that is not accepted.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token is wrong.',
};

const claims: Readonly<Record<string, string>> = {
  iss: 'The access token is of another authorization server.',
  aud: 'The access token is meant for another server.',
  nbf: 'The access token is not valid yet.',
  exp: 'The access token does not say when it expires.',
};

/** What jose found wrong with a token, for the client; `undefined` where it is not the token that is wrong. */
export function describeTokenError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const { code } = error;
  if (!code.startsWith('ERR_J') || code === 'ERR_JWKS_INVALID') return undefined;
  if (Object.hasOwn(descriptions, code)) return descriptions[code];
  const claim = 'claim' in error ? String(error.claim) : '';
  return Object.hasOwn(claims, claim) ? claims[claim] : 'The access token is malformed.';
}
