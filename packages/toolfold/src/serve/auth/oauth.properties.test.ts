import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAuthorizationServer } from '../../../test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../../test/auth/authorization-server.js';
import type { Authentication, Authenticator } from './authenticator.js';
import { oauth } from './oauth.js';
import { runs } from '../../../../../test/runs.js';

const resource = 'https://mcp.example.com/mcp';

let server: TestAuthorizationServer;
beforeAll(async () => {
  server = await startAuthorizationServer({ audience: resource });
});
afterAll(() => server.close());

const create = (more: object = {}): Authenticator =>
  oauth({ issuer: server.issuer, resource, jwksUri: server.jwksUri, ...more });
const ask = async (guard: Authenticator, authorization: string | undefined): Promise<Authentication> =>
  guard.authenticate((name) => (name === 'authorization' ? authorization : undefined));
const present = (guard: Authenticator, token: string) => ask(guard, `Bearer ${token}`);

describe('a caller without a valid token', () => {
  it('is always rejected without a crash, for any input', async () => {
    const guard = create();
    const good = await server.sign();
    const base64 = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
    const json = fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
    const header = fc
      .record(
        {
          alg: fc.constantFrom('ES256', 'RS256', 'none', 'HS256', 'EdDSA', 'constructor', 7, null),
          kid: fc.constantFrom(server.keys[0]!.kid, '__proto__', 'x', 7),
          crit: fc.constantFrom([], ['exp'], ['b64'], 'b64'),
          b64: fc.boolean(),
          typ: fc.anything(),
        },
        { requiredKeys: [] },
      )
      .map((value) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url'));
    const part = fc.oneof(base64, json, header, fc.constantFrom(...good.split('.')), fc.string());
    const token = fc.oneof(
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
      fc
        .tuple(fc.nat(good.length - 1), fc.constantFrom('A', 'b', '0', '.', ''))
        .map(([at, letter]) => good.slice(0, at) + letter + good.slice(at + 1)),
    );
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        const outcome = await present(guard, text);
        // The last character of a signature has unused bits, so another character may be equivalent.
        const isGood = text.slice(0, -1) === good.slice(0, -1);
        expect('rejection' in outcome ? outcome.rejection.status : isGood ? 401 : 200).toBe(401);
      }),
      { numRuns: runs(500) },
    );
  });
});
