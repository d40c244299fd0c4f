import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestPlan, SecurityScheme } from '../src/request-plan.js';
import type { ApiCredentials, SendOptions } from '@toolfold/openapi';
import { ApiServer, answerJson, headerOf } from './api-server.js';
import { contextOf, parameterOf, planOf, schemeOf, senderTo } from './plans.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const bearer = schemeOf('bearer');
const basic = schemeOf('basic', { scheme: 'basic' });
const key = schemeOf('key', { type: 'apiKey', in: 'header', name: 'X-Api-Key' });

function needs(...alternatives: SecurityScheme[][]): RequestPlan {
  return planOf({
    security: alternatives.map((schemes) => schemes.map((scheme) => ({ scheme, scopes: [] }))),
  });
}

const send = (plan: RequestPlan, options: SendOptions = {}, context = contextOf()): Promise<unknown> =>
  senderTo(server.origin, options)(plan, {}, context);

const authorization = (): string[] => headerOf(server.last, 'authorization');

describe('the credentials of a request', () => {
  it.each([
    [bearer, 'abc', 'Bearer abc'],
    [bearer, 'Bearer abc', 'Bearer abc'],
    [schemeOf('o', { type: 'oauth2', scheme: undefined }), 'abc', 'Bearer abc'],
    [schemeOf('o', { type: 'openIdConnect', scheme: undefined }), 'abc', 'Bearer abc'],
    [schemeOf('o', { scheme: 'token' }), 'abc', 'token abc'],
    [basic, { username: 'jürgen', password: 'a:b' }, `Basic ${Buffer.from('jürgen:a:b').toString('base64')}`],
    [basic, 'sk_test:', `Basic ${Buffer.from('sk_test:').toString('base64')}`],
  ])('are sent in the header Authorization for %j', async (scheme, credential, expected) => {
    await send(needs([scheme]), { credentials: { [scheme.id]: credential } });
    expect(authorization()).toEqual([expected]);
  });

  it('come from text, from a function of the context, or from one function for all schemes', async () => {
    const context = contextOf({ caller: { auth: { clientId: 'ada' } } });
    await send(
      needs([bearer]),
      { credentials: { bearer: async ({ caller }) => `of-${caller.auth?.clientId}` } },
      context,
    );
    expect(authorization()).toEqual(['Bearer of-ada']);
    const credentials: ApiCredentials = ({ id }, { caller }) => `${id}-${caller.auth?.clientId}`;
    await send(needs([bearer, key]), { credentials }, context);
    expect(authorization()).toEqual(['Bearer bearer-ada']);
    expect(headerOf(server.last, 'x-api-key')).toEqual(['key-ada']);
  });

  it('come from the field of the session context that the operator names, and from no other', async () => {
    const context = contextOf({ session: { key: 'of another API', apiKey: 'mine' } });
    await send(needs([key]), { credentials: { key: { session: 'apiKey' } } }, context);
    expect(headerOf(server.last, 'x-api-key')).toEqual(['mine']);
    const before = server.received.length;
    for (const credentials of [{}, { other: { session: 'key' } }, { key: { session: 'absent' } }])
      await expect(send(needs([key]), { credentials }, context)).rejects.toThrow(
        'The API needs credentials for "key".',
      );
    expect(server.received).toHaveLength(before);
  });

  it('are never the token with which the caller authenticated to this server', async () => {
    const caller = { auth: { token: 'mcp-token' } };
    const before = server.received.length;
    for (const session of [{}, { bearer: 'mcp-token' }]) {
      const context = contextOf({ caller, session, accessToken: 'mcp-token' });
      const credentials = { bearer: { session: 'bearer' } };
      await expect(send(needs([bearer]), { credentials }, context)).rejects.toThrow(
        'The API needs credentials for "bearer".',
      );
    }
    expect(server.received).toHaveLength(before);
  });

  it('are those of the first alternative of which all are known', async () => {
    const plan = needs([bearer, key], [basic], [key]);
    await send(plan, { credentials: { key: 'k', bearer: () => undefined } });
    expect([authorization(), headerOf(server.last, 'x-api-key')]).toEqual([[], ['k']]);
    await send(plan, { credentials: { key: 'k', basic: 'a:b', bearer: '' } });
    expect([authorization(), headerOf(server.last, 'x-api-key')]).toEqual([['Basic YTpi'], []]);
  });

  it('are only left out if the specification allows it', async () => {
    await send(needs([bearer], []));
    expect(authorization()).toEqual([]);
    await send(needs([], [bearer]), { credentials: { bearer: 'abc' } });
    expect(authorization()).toEqual(['Bearer abc']);
    await expect(send(needs([bearer], [key]))).rejects.toMatchObject({
      code: 'ErrToolFailed',
      message: expect.stringContaining(
        'The API needs credentials for "bearer" or "key". A person must supply them',
      ) as string,
      details: { securitySchemes: ['bearer', 'key'] },
    });
  });

  it('may be a header of the operator', async () => {
    await send(needs([bearer]), { headers: { Authorization: 'Custom abc' } });
    expect(authorization()).toEqual(['Custom abc']);
    await send(needs([key]), { headers: () => ({ 'x-api-key': 'abc' }) });
    expect(headerOf(server.last, 'x-api-key')).toEqual(['abc']);
  });

  it('need one credential for schemes that use the same header', async () => {
    const oauth = schemeOf('oauth', { type: 'oauth2', scheme: undefined });
    for (const credentials of [{ bearer: 'abc' }, { oauth: 'abc' }, { bearer: 'abc', oauth: 'other' }]) {
      await send(needs([bearer, oauth]), { credentials });
      expect(authorization()).toEqual(['Bearer abc']);
    }
    await expect(send(needs([bearer, oauth]))).rejects.toThrow('needs credentials for "bearer"');
  });

  it('are a certificate if the operator sends the requests', async () => {
    const tls = schemeOf('tls', { type: 'mutualTLS', scheme: undefined });
    await expect(send(needs([tls]))).rejects.toThrow('needs credentials for "tls"');
    await send(needs([tls]), { fetch: (...args) => fetch(...args) });
  });

  it.each([
    ['bearer', bearer, 'secret-value\r\nX-Evil: 1'],
    ['bearer', bearer, { username: 'secret-value', password: 'secret-value' }],
    ['basic', basic, 'secret-value'],
    ['basic', basic, { username: 'secret:value', password: 'secret-value' }],
    ['key', key, 'secret-value€'],
  ])('are rejected without being shown if %s cannot send them', async (id, scheme, credential) => {
    const sent = send(needs([scheme]), { credentials: { [id]: credential } });
    await expect(sent).rejects.toMatchObject({
      code: 'ErrInvalidOptions',
      message: expect.stringContaining(`"${id}"`) as string,
    });
    await expect(sent).rejects.not.toThrow('secret');
  });

  it('are those of the caller of each call when many calls run at once', async () => {
    server.answer = (request, response) => {
      const [who = ''] = headerOf(request, 'authorization');
      // Encoded, because a result does not contain the credentials of its request.
      const sent = [...Buffer.from(`${who} ${request.target}`)];
      // Answers come in another order than the requests.
      setTimeout(() => answerJson(response, { sent }), Math.random() * 10);
    };
    const query = schemeOf('query', { type: 'apiKey', in: 'query', name: 'api_key' });
    const plan = { ...needs([bearer, query]), parameters: [parameterOf('query', 'n')] };
    const sendNow = senderTo(server.origin, {
      credentials: {
        bearer: async ({ caller }) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
          return `token-of-${caller.auth?.clientId}`;
        },
        query: { session: 'query' },
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        sendNow(
          plan,
          { n },
          contextOf({ caller: { auth: { clientId: `c${n}` } }, session: { query: `key-of-c${n}` } }),
        ),
      ),
    );
    server.answer = (_, response) => answerJson(response, {});
    for (const [n, answer] of answers.entries())
      expect(Buffer.from((answer as { sent: number[] }).sent).toString()).toBe(
        `Bearer token-of-c${n} /things?n=${n}&api_key=key-of-c${n}`,
      );
  });
});

describe('the headers of the operator', () => {
  it.each([{ Host: 'evil' }, { 'Content-Length': '1' }, { 'bad name': 'x' }, { 'X-A': 'secret\r\nb' }])(
    'are rejected at once if no request can have %j',
    (headers) => {
      expect(() =>
        senderTo(server.origin, { headers: headers as unknown as Record<string, string> }),
      ).toThrow(/^(?!.*secret).*headers?/);
    },
  );

  it.each([
    ['text', 'text'],
    ['Headers', new Headers({ authorization: 'Bearer abc' })],
    ['a Map', new Map([['authorization', 'Bearer abc']])],
    ['an object that inherits them', Object.create({ authorization: 'Bearer abc' })],
  ])(
    'are rejected for each call if a function returns %s, so that none is sent without them',
    async (_, wrong) => {
      const before = server.received.length;
      const headers = (() => wrong) as unknown as () => Record<string, string>;
      await expect(send(planOf(), { headers })).rejects.toMatchObject({ code: 'ErrInvalidOptions' });
      expect(server.received).toHaveLength(before);
    },
  );
});
