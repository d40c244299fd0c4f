import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface TokenClaims {
  readonly [claim: string]: unknown;
}

/** An authorization server with keys, metadata and a token endpoint for client credentials. */
export interface TestAuthorizationServer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** The keys in use, the newest last. */
  readonly keys: SigningKey[];
  /** The number of requests for the key set and for the metadata. */
  readonly asked: { jwks: number; metadata: number };
  /** Answers requests for the key set instead of the keys, if set. */
  broken: ((response: ServerResponse) => void) | undefined;
  /** Metadata that overrides the correct values. */
  readonly claimed: Record<string, unknown>;
  rotate(): Promise<void>;
  /** Signs a token that is valid for five minutes. `undefined` removes a claim. */
  sign(claims?: TokenClaims, header?: object): Promise<string>;
  close(): Promise<void>;
}

const now = (): number => Math.floor(Date.now() / 1_000);

export async function startAuthorizationServer({
  audience = 'https://mcp.example.com/mcp',
  alg = 'ES256',
  path = '',
} = {}): Promise<TestAuthorizationServer> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}${path}`;

  const self: TestAuthorizationServer = {
    issuer,
    jwksUri: `${origin}/jwks`,
    keys: [await createKey(alg)],
    asked: { jwks: 0, metadata: 0 },
    broken: undefined,
    claimed: {},
    rotate: async () => void self.keys.push(await createKey(alg)),
    sign: (claims = {}, header = {}) => {
      const { kid, privateKey } = self.keys.at(-1) as SigningKey;
      const all = { iss: issuer, aud: audience, sub: 'ada', iat: now(), exp: now() + 300, ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(all)))
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
        .sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const json = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/jwks') {
      self.asked.jwks++;
      if (self.broken) self.broken(response);
      else json({ keys: self.keys.map(({ publicJwk }) => publicJwk) });
    } else if (request.url === `/.well-known/oauth-authorization-server${path}`) {
      self.asked.metadata++;
      json({
        issuer,
        jwks_uri: self.jwksUri,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        ...self.claimed,
      });
    } else if (request.url === '/token' && request.method === 'POST') {
      const form = new URLSearchParams(await readText(request));
      const [clientId] = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
        .toString()
        .split(':');
      const scope = form.get('scope') ?? '';
      const aud = form.get('resource') ?? 'nobody';
      json({
        access_token: await self.sign({ aud, scope, sub: clientId, client_id: clientId }),
        token_type: 'Bearer',
        expires_in: 300,
        scope,
      });
    } else json({ error: 'not_found' }, 404);
  };
  return self;
}

async function createKey(alg: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = crypto.randomUUID();
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
