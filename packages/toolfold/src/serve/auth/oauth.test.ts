import { createHmac } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { SignJWT, UnsecuredJWT, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startAuthorizationServer } from '../../../test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../../test/auth/authorization-server.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import type { Authentication, Authenticator } from './authenticator.js';
import { oauth } from './oauth.js';

const resource = 'https://mcp.example.com/mcp';
const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';

let server: TestAuthorizationServer;
beforeAll(async () => {
  server = await startAuthorizationServer({ audience: resource });
});
afterAll(() => server.close());
afterEach(() => {
  vi.useRealTimers();
  server.broken = undefined;
});

const create = (more: object = {}): Authenticator =>
  oauth({ issuer: server.issuer, resource, jwksUri: server.jwksUri, ...more });
const ask = async (guard: Authenticator, authorization: string | undefined): Promise<Authentication> =>
  guard.authenticate((name) => (name === 'authorization' ? authorization : undefined));
const present = (guard: Authenticator, token: string) => ask(guard, `Bearer ${token}`);
const rejectionOf = (outcome: Authentication) => {
  if (!('rejection' in outcome)) throw new Error('was let in');
  return outcome.rejection;
};
const challengeOf = (outcome: Authentication) => rejectionOf(outcome).headers?.['www-authenticate'];
const authOf = (outcome: Authentication) => {
  if (!('auth' in outcome)) throw new Error(outcome.rejection.message);
  return outcome.auth;
};
const now = () => Math.floor(Date.now() / 1_000);

describe('a valid token', () => {
  it('identifies its caller', async () => {
    const exp = now() + 100;
    const token = await server.sign({ client_id: 'app', scope: 'read write', exp, org_id: 'acme' });
    const auth = authOf(await present(create(), token));
    expect(auth).toMatchObject({
      token,
      clientId: 'app',
      scopes: ['read', 'write'],
      expiresAt: exp,
      resourceMetadataUrl: metadataUrl,
      extra: { sub: 'ada', iss: server.issuer, aud: resource, org_id: 'acme' },
    });
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('may be sent as %j', async (scheme) => {
    expect(authOf(await ask(create(), `${scheme} ${await server.sign()}`)).extra).toMatchObject({
      sub: 'ada',
    });
  });

  it.each([
    ['scope', 'a b', ['a', 'b']],
    ['scope', ['a', 'b'], ['a', 'b']],
    ['scp', ['a', 'b'], ['a', 'b']],
    ['scp', 'a', ['a']],
    ['scope', 7, []],
    ['scope', '', []],
    ['scope', { a: 1 }, []],
  ])('has its scopes in %s: %j', async (claim, value, scopes) => {
    expect(authOf(await present(create(), await server.sign({ [claim]: value }))).scopes).toEqual(scopes);
  });

  it.each([[['https://other.example', resource]], [resource]])('may have the audience %j', async (aud) => {
    authOf(await present(create(), await server.sign({ aud })));
  });

  it('of a server without a path may have an audience with or without a trailing slash', async () => {
    for (const written of ['https://mcp.example.com', 'https://mcp.example.com/']) {
      const guard = create({ resource: written });
      for (const aud of ['https://mcp.example.com', 'https://mcp.example.com/'])
        authOf(await present(guard, await server.sign({ aud })));
      expect(guard.metadata?.resource).toBe(written);
    }
    expect(rejectionOf(await present(create(), await server.sign({ aud: `${resource}/` }))).status).toBe(401);
  });

  it('may have another audience if it is configured', async () => {
    const guard = create({ audience: ['api://acme', 'api://old'] });
    authOf(await present(guard, await server.sign({ aud: 'api://acme' })));
    expect(rejectionOf(await present(guard, await server.sign())).status).toBe(401);
  });

  it('may be signed with any public-key algorithm', async () => {
    for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
      const other = await startAuthorizationServer({ audience: resource, alg });
      const guard = oauth({ issuer: other.issuer, resource, jwksUri: other.jwksUri });
      authOf(await present(guard, await other.sign()));
      const narrow = oauth({
        issuer: other.issuer,
        resource,
        jwksUri: other.jwksUri,
        algorithms: ['ES512'],
      });
      expect(rejectionOf(await present(narrow, await other.sign())).status).toBe(401);
      await other.close();
    }
  });

  it('grants the implied scopes of its scopes, transitively', async () => {
    const guard = create({
      requiredScopes: ['read'],
      impliedScopes: { admin: ['write'], write: ['read', 'admin'] },
    });
    const { scopes } = authOf(await present(guard, await server.sign({ scope: 'admin' })));
    expect(scopes.toSorted()).toEqual(['admin', 'read', 'write']);
    expect(rejectionOf(await present(guard, await server.sign({ scope: 'other' }))).status).toBe(403);
  });
});

describe('a caller without a valid token', () => {
  it('gets a challenge with the resource metadata, without an error if it sent no token', async () => {
    const guard = create({ requiredScopes: ['mcp', 'read'] });
    for (const header of [undefined, '', 'Basic YTpi']) {
      const outcome = await ask(guard, header);
      expect(rejectionOf(outcome).status).toBe(401);
      expect(challengeOf(outcome)).toBe(`Bearer scope="mcp read", resource_metadata="${metadataUrl}"`);
    }
  });

  it.each([
    ['no token', 'Bearer'],
    ['a blank', 'Bearer '],
    ['two tokens', 'Bearer a b'],
    ['two headers', 'Bearer a, Bearer b'],
    ['a comma', 'Bearer a,b'],
    ['headers of two schemes', 'Basic YTpi, Bearer abc'],
    ['a letter that no token has', 'Bearer é'],
    ['quotes', 'Bearer "a"'],
    ['20,000 letters', `Bearer ${'a'.repeat(20_000)}`],
  ])('and a header with %s is rejected before the token is parsed', async (_what, header) => {
    const outcome = await ask(create(), header);
    expect(rejectionOf(outcome)).toMatchObject({
      status: 401,
      message: 'The Authorization header is malformed.',
    });
    expect(challengeOf(outcome)).toContain('error="invalid_token"');
  });

  it.each<[string, object, string]>([
    ['expired', { exp: -60 }, 'has expired'],
    ['not yet valid', { nbf: 60 }, 'not valid yet'],
    ['without an expiry time', { exp: undefined }, 'has no valid expiry time'],
    ['with a text as expiry time', { exp: 'never' }, 'has no valid expiry time'],
    ['of another issuer', { iss: 'https://evil.example' }, 'another authorization server'],
    ['without an issuer', { iss: undefined }, 'another authorization server'],
    ['for another server', { aud: 'https://other.example/mcp' }, 'another server'],
    ['for a part of the address', { aud: 'https://mcp.example.com' }, 'another server'],
    ['without an audience', { aud: undefined }, 'another server'],
  ])('is rejected with a token %s', async (_what, claims, message) => {
    const times = Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === 'number' ? now() + value : (value as unknown),
    ]);
    const outcome = await present(create(), await server.sign(Object.fromEntries(times)));
    expect(rejectionOf(outcome).status).toBe(401);
    expect(rejectionOf(outcome).message).toContain(message);
    expect(challengeOf(outcome)).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+"$/,
    );
  });

  it('may have a clock that is a few seconds off, but not more', async () => {
    authOf(await present(create(), await server.sign({ exp: now() - 5 })));
    authOf(await present(create(), await server.sign({ nbf: now() + 5 })));
    expect(rejectionOf(await present(create(), await server.sign({ exp: now() - 20 }))).status).toBe(401);
  });

  it('is rejected with an unsigned token', async () => {
    const none = new UnsecuredJWT({ iss: server.issuer, aud: resource, sub: 'root', exp: now() + 100 });
    const parts = (await server.sign({ sub: 'root' })).split('.');
    const header = { alg: 'none', kid: server.keys[0]!.kid };
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const token of [
      none.encode(),
      `${encoded(header)}.${parts[1]}.`,
      `${encoded(header)}.${parts[1]}.${parts[2]}`,
      `${encoded({ ...header, alg: 'NoNe' })}.${parts[1]}.${parts[2]}`,
      `${parts[0]}.${parts[1]}.`,
      `${parts[0]}.${encoded({ iss: server.issuer, aud: resource, sub: 'root', exp: now() + 100 })}.${parts[2]}`,
    ])
      expect(rejectionOf(await present(create(), token)).status).toBe(401);
  });

  it('is rejected with the public key as a shared secret', async () => {
    const { kid, publicJwk } = server.keys[0]!;
    const pem = await exportSPKI((await importJWK(publicJwk, 'ES256', { extractable: true })) as CryptoKey);
    const claims = { iss: server.issuer, aud: resource, sub: 'root', exp: now() + 100 };
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const secret of [pem, pem.trim(), JSON.stringify(publicJwk), String(publicJwk.x)]) {
      const content = `${encoded({ alg: 'HS256', kid })}.${encoded(claims)}`;
      const signature = createHmac('sha256', secret).update(content).digest('base64url');
      const outcome = await present(create(), `${content}.${signature}`);
      expect(rejectionOf(outcome)).toMatchObject({
        status: 401,
        message: 'The access token is signed with an algorithm that is not allowed.',
      });
    }
  });

  it('is rejected with its own key, for any key id and URL in the header', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const { kid } = server.keys[0]!;
    const spki = await exportSPKI(publicKey);
    const sign = (header: object) =>
      new SignJWT({ iss: server.issuer, aud: resource, sub: 'root', exp: now() + 100 })
        .setProtectedHeader({ alg: 'ES256', ...header })
        .sign(privateKey);
    const guard = create();
    for (const header of [
      { kid },
      { kid: 'mine' },
      {},
      { kid, jku: 'https://evil.example/jwks' },
      { kid, x5u: 'https://evil.example/x', x5c: [Buffer.from(spki).toString('base64')] },
      { kid, jwk: { kty: 'EC' } },
    ])
      expect(rejectionOf(await present(guard, await sign(header))).status).toBe(401);
  });
});

describe('required scopes', () => {
  it('are all named to a caller that lacks one', async () => {
    const guard = create({ requiredScopes: ['mcp', 'read'] });
    const outcome = await present(guard, await server.sign({ scope: 'read' }));
    expect(rejectionOf(outcome).status).toBe(403);
    expect(challengeOf(outcome)).toBe(
      `Bearer error="insufficient_scope", error_description="This needs the scope mcp read.", scope="mcp read", resource_metadata="${metadataUrl}"`,
    );
  });
});

describe('keys', () => {
  it('are fetched once for all callers', async () => {
    const guard = create();
    const before = server.asked.jwks;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => server.sign({ sub: `s${index}` })),
    );
    const found = await Promise.all(tokens.map((token) => present(guard, token)));
    expect(found.map((outcome) => authOf(outcome).extra?.['sub'])).toEqual(
      tokens.map((_, index) => `s${index}`),
    );
    expect(server.asked.jwks - before).toBe(1);
  });

  it('may change: a new key is found, and a withdrawn one becomes invalid', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const other = await startAuthorizationServer({ audience: resource });
    const guard = oauth({ issuer: other.issuer, resource, jwksUri: other.jwksUri });
    const old = await other.sign({ exp: now() + 10_000 });
    authOf(await present(guard, old));
    await other.rotate();
    const fresh = await other.sign({ exp: now() + 10_000 });
    expect(rejectionOf(await present(guard, fresh)).message).toContain('an unknown key');
    vi.setSystemTime(Date.now() + 31_000);
    authOf(await present(guard, fresh));
    authOf(await present(guard, old));
    expect(other.asked.jwks).toBe(2);
    other.keys.shift();
    vi.setSystemTime(Date.now() + 10 * 60_000 + 1);
    expect(rejectionOf(await present(guard, old)).message).toContain('an unknown key');
    authOf(await present(guard, fresh));
    expect(other.asked.jwks).toBe(3);
    await other.close();
  });

  it('that do not exist do not cause repeated requests', async () => {
    const guard = create();
    authOf(await present(guard, await server.sign()));
    const before = server.asked.jwks;
    for (let turn = 0; turn < 20; turn++) {
      const outcome = await present(guard, await server.sign({}, { kid: `made up ${turn}` }));
      expect(rejectionOf(outcome)).toMatchObject({ status: 401 });
    }
    expect(server.asked.jwks).toBe(before);
  });

  it.each<[string, NonNullable<TestAuthorizationServer['broken']>]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['a redirect', (response) => response.writeHead(302, { location: server.jwksUri }).end()],
    ['invalid JSON', (response) => response.writeHead(200).end('<html>')],
    ['no keys', (response) => response.writeHead(200).end('{"keys":7}')],
    ['null', (response) => response.writeHead(200).end('null')],
    ['too many bytes', (response) => response.writeHead(200).end(`{"keys":[],"x":"${'x'.repeat(600_000)}"}`)],
    ['a closed connection', (response) => response.destroy()],
  ])('that arrive as %s let no caller in, and the answer asks clients to retry', async (_what, broken) => {
    const other = await startAuthorizationServer({ audience: resource });
    other.broken = broken;
    const guard = oauth({ issuer: other.issuer, resource, jwksUri: other.jwksUri });
    for (let turn = 0; turn < 5; turn++) {
      const outcome = await present(guard, await other.sign());
      const { cause, ...rejection } = rejectionOf(outcome);
      // The operator gets one error report.
      expect(cause === undefined).toBe(turn > 0);
      expect(rejection).toEqual({
        status: 503,
        message: 'Tokens cannot be verified right now.',
        headers: { 'retry-after': '5' },
      });
    }
    // The server was requested once, and not again for a while.
    expect(other.asked.jwks).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'] });
    other.broken = undefined;
    vi.setSystemTime(Date.now() + 5_001);
    authOf(await present(guard, await other.sign()));
    await other.close();
  });

  it('that are cached stay valid while the authorization server is down', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const other = await startAuthorizationServer({ audience: resource });
    const guard = oauth({ issuer: other.issuer, resource });
    authOf(await present(guard, await other.sign()));
    const stranger = await other.sign({}, { kid: 'made up' });
    const token = await other.sign({ sub: 'eve' });
    other.broken = (response) => response.writeHead(500).end();
    vi.setSystemTime(Date.now() + 31_000);
    expect(rejectionOf(await present(guard, stranger)).status).toBe(503);
    authOf(await present(guard, token));
    await other.close();
  });
});

describe('the authorization server', () => {
  it.each(['', '/tenant'])('publishes the location of its keys, with the path %j', async (path) => {
    const other = await startAuthorizationServer({ audience: resource, path });
    const guard = oauth({ issuer: other.issuer, resource });
    authOf(await present(guard, await other.sign()));
    authOf(await present(guard, await other.sign({ sub: 'eve' })));
    expect(other.asked).toEqual({ jwks: 1, metadata: 1 });
    await other.close();
  });

  it.each([
    { issuer: 'https://evil.example' },
    { jwks_uri: 'http://evil.example/jwks' },
    { jwks_uri: 'file:///etc/passwd' },
    { jwks_uri: 7 },
  ])('is not trusted if its metadata is %j', async (claimed) => {
    const other = await startAuthorizationServer({ audience: resource });
    Object.assign(other.claimed, claimed);
    const guard = oauth({ issuer: other.issuer, resource });
    expect(rejectionOf(await present(guard, await other.sign())).status).toBe(503);
    await other.close();
  });
});

describe('a verified token', () => {
  it('is cached for a while, and no longer than it is valid', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const guard = create();
    const token = await server.sign({ exp: now() + 30 });
    const read = () => guard.authenticate(() => `Bearer ${token}`);
    expect(read()).toBeInstanceOf(Promise);
    authOf(await present(guard, token));
    expect(read()).not.toBeInstanceOf(Promise);
    expect(authOf(await read())).toMatchObject({ token, extra: { sub: 'ada' } });
    vi.setSystemTime(Date.now() + 31_000);
    expect(read()).toBeInstanceOf(Promise);
    vi.setSystemTime(Date.now() + 20_000);
    expect(rejectionOf(await read()).message).toBe('The access token has expired.');
  });

  it('is verified again after a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const guard = create();
    const token = await server.sign({ exp: now() + 1_000 });
    authOf(await present(guard, token));
    const read = () => guard.authenticate(() => `Bearer ${token}`);
    vi.setSystemTime(Date.now() + 59_000);
    expect(read()).not.toBeInstanceOf(Promise);
    vi.setSystemTime(Date.now() + 2_000);
    expect(read()).toBeInstanceOf(Promise);
  });

  it('is not cached for another server', async () => {
    const token = await server.sign();
    authOf(await present(create(), token));
    const strict = create({ audience: 'other' });
    expect(rejectionOf(await present(strict, token)).status).toBe(401);
  });

  it('cannot be changed by one request for the next', async () => {
    const guard = create();
    const token = await server.sign({ scope: 'read' });
    const auth = authOf(await present(guard, token));
    expect(() => auth.scopes.push('admin')).toThrow(TypeError);
    expect(() => Object.assign(auth.extra!, { sub: 'root' })).toThrow(TypeError);
    auth.clientId = 'other';
    expect(authOf(await present(guard, token))).toMatchObject({ clientId: '', scopes: ['read'] });
  });
});

describe('options', () => {
  const good = { issuer: 'https://auth.example.com', resource };
  it.each<[object, string]>([
    [{ issuer: undefined }, 'oauth({ issuer })'],
    [{ issuer: 'http://auth.example.com' }, 'oauth({ issuer })'],
    [{ issuer: 'https://auth.example.com?x=1' }, 'oauth({ issuer })'],
    [{ issuer: 'https://user:pass@auth.example.com' }, 'oauth({ issuer })'],
    [{ issuer: new URL('https://auth.example.com') }, 'oauth({ issuer })'],
    [{ resource: undefined }, 'oauth({ resource })'],
    [{ resource: 'mcp.example.com' }, 'oauth({ resource })'],
    [{ resource: 'https://mcp.example.com#x' }, 'oauth({ resource })'],
    [{ resource: 'http://mcp.example.com' }, 'oauth({ resource })'],
    [{ jwksUri: 'http://auth.example.com/jwks' }, 'oauth({ jwksUri })'],
    [{ jwksUri: 'ftp://localhost/jwks' }, 'oauth({ jwksUri })'],
    [{ jwksUri: '' }, 'oauth({ jwksUri })'],
    [{ audience: '' }, 'oauth({ audience })'],
    [{ audience: [] }, 'oauth({ audience })'],
    [{ audience: [7] }, 'oauth({ audience })'],
    [{ requiredScopes: 'read' }, 'oauth({ requiredScopes })'],
    [{ requiredScopes: ['read write'] }, 'oauth({ requiredScopes })'],
    [{ requiredScopes: ['re"ad'] }, 'oauth({ requiredScopes })'],
    [{ requiredScopes: ['read\r\nx: y'] }, 'oauth({ requiredScopes })'],
    [{ scopesSupported: [''] }, 'oauth({ scopesSupported })'],
    [{ impliedScopes: ['read'] }, 'oauth({ impliedScopes })'],
    [{ impliedScopes: { admin: 'read' } }, 'oauth({ impliedScopes })["admin"]'],
    [{ algorithms: [] }, 'oauth({ algorithms })'],
    [{ algorithms: ['HS256'] }, 'oauth({ algorithms })'],
    [{ algorithms: ['none'] }, 'oauth({ algorithms })'],
    [{ requiredScope: ['read'] }, 'Did you mean "requiredScopes"?'],
  ])('%j are rejected at creation', (wrong, message) => {
    const make = () => oauth({ ...good, ...wrong } as never);
    expect(make).toThrow(ErrInvalidOptions);
    expect(make).toThrow(message);
  });

  it('are required', () => {
    expect(() => oauth(undefined as never)).toThrow(ErrInvalidOptions);
  });

  it('may name localhost without https', () => {
    for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1'])
      oauth({ issuer: `http://${host}`, resource: `http://${host}/mcp`, jwksUri: `http://${host}/jwks` });
    expect(() => oauth({ ...good, issuer: 'http://localhost.evil.example' })).toThrow(ErrInvalidOptions);
  });

  it('are included in the metadata for clients', () => {
    expect(oauth(good).metadata).toEqual({
      resource,
      authorization_servers: ['https://auth.example.com'],
      bearer_methods_supported: ['header'],
    });
    expect(oauth({ ...good, requiredScopes: ['mcp'] }).metadata?.scopes_supported).toEqual(['mcp']);
    const wide = oauth({ ...good, requiredScopes: ['mcp'], scopesSupported: ['mcp', 'read'] });
    expect(wide.metadata?.scopes_supported).toEqual(['mcp', 'read']);
  });
});
