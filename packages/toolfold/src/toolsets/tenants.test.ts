import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverModes } from './server-mode.js';
import { KEY, base64, setUp } from '../../test/toolsets/tenants-setup.js';

describe('tenants', () => {
  it.each(serverModes)(
    '[S003-48] [S003-31] use their own credential instead of the one of the server, in the mode %s',
    async (mode) => {
      const { call } = setUp(mode);
      for (const name of ['whoami', 'own']) {
        expect(await call({}, name)).toBe('token-of-the-operator');
        expect(await call({ header: base64({ [KEY]: 'mine' }) }, name)).toBe('mine');
        expect(await call({}, name)).toBe('token-of-the-operator');
      }
    },
  );

  it('[S003-28] [S003-29] [S003-32] may send it in the query only if the operator allows that', async () => {
    const query = Buffer.from(`{"${KEY}":"your_key"}`).toString('base64');
    const closed = setUp('ALL_TOOLS');
    await expect(closed.call({ query })).rejects.toThrow('credentials must not be sent in a URL');
    expect(closed.loads).toEqual([]);
    const { call } = setUp('ALL_TOOLS', (config) => ({
      ...config,
      sessionContext: { ...config.sessionContext, allowCredentials: true },
    }));
    expect(await call({ query })).toBe('your_key');
  });

  it('never share a loader result or a view when their requests interleave', async () => {
    const tenant = fc.constantFrom('ada', 'bob', 'eve', '__proto__', 'a', 'aa', undefined);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tenant, wait: fc.nat(3), name: fc.constantFrom('whoami', 'own') }), {
          minLength: 2,
          maxLength: 30,
        }),
        fc.constantFrom(...serverModes),
        async (requests, mode) => {
          const { call, loads } = setUp(mode);
          await Promise.all(
            requests.map(async ({ tenant: who, wait, name }) => {
              for (let turn = 0; turn < wait; turn++) await new Promise((resolve) => setImmediate(resolve));
              const answer = await call(who === undefined ? {} : { header: base64({ [KEY]: who }) }, name);
              expect(answer).toBe(who ?? 'token-of-the-operator');
            }),
          );
          expect(loads).toHaveLength(new Set(requests.map(({ tenant: who }) => who)).size);
        },
      ),
      { numRuns: 60 },
    );
  });
});
