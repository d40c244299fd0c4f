import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestOptions } from './request.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { runs } from '../../../../test/runs.js';

/** A caller as a server may describe it. */
interface Someone {
  readonly auth?: {
    readonly token: string;
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly extra: Readonly<Record<'iss' | 'sub' | 'org_id' | 'email' | 'jti', string | undefined>>;
  };
  readonly accessToken?: string;
  readonly sessionId?: string;
  readonly address?: string;
}

const one = (...values: (string | undefined)[]): fc.Arbitrary<string | undefined> =>
  fc.constantFrom(...values);

const someone = fc.record(
  {
    auth: fc.record({
      token: fc.constantFrom('t1', 't2'),
      clientId: fc.constantFrom('', 'web', 'ada'),
      scopes: fc.constantFrom(['a'], ['b', 'a']),
      extra: fc.record({
        iss: one(undefined, 'x', 'y'),
        sub: one(undefined, 'ada', 'web'),
        org_id: one(undefined, 'acme'),
        email: one(undefined, 'ada@x'),
        jti: one('1', '2'),
      }),
    }),
    accessToken: fc.constantFrom('t1', 'upstream'),
    sessionId: fc.constantFrom('s1', 's2'),
    address: fc.constantFrom('10.0.0.1', '2001:db8::1', '2001:db8::2', '2001:db8:1::1'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Someone>;

const networks: Readonly<Record<string, string>> = { '2001:db8::1': 'v6', '2001:db8::2': 'v6' };
const networkOf = ({ address = 'none' }: Someone): string => networks[address] ?? address;
/** An access token other than the verified one. */
const otherToken = ({ auth, accessToken }: Someone): string | undefined =>
  accessToken === auth?.token ? undefined : accessToken;

/** A second implementation of docs/reference/guards.md#callers: equal texts mean the same caller. */
const rules: Readonly<Record<'limited' | 'pay' | 'read', (caller: Someone) => string>> = {
  limited: (caller) => {
    const { iss, sub } = caller.auth?.extra ?? {};
    if (sub !== undefined) return JSON.stringify(['subject', iss, sub]);
    if (caller.auth?.clientId) return JSON.stringify(['client', iss, caller.auth.clientId]);
    return networkOf(caller);
  },
  pay: (caller) => {
    const { auth, accessToken } = caller;
    if (!auth) return JSON.stringify(accessToken === undefined ? networkOf(caller) : ['bearer', accessToken]);
    const { token, clientId, extra } = auth;
    const { iss, sub, org_id, email } = extra;
    if (sub !== undefined) return JSON.stringify(['subject', iss, sub, clientId, org_id]);
    if (clientId !== '') return JSON.stringify(['client', iss, clientId, org_id, email]);
    return JSON.stringify(['token', token, otherToken(caller), iss, org_id, email]);
  },
  read: (caller) => {
    const { auth, sessionId } = caller;
    if (!auth) return JSON.stringify([rules.pay(caller), sessionId]);
    const { clientId, scopes, extra } = auth;
    const { iss, sub, org_id, email } = extra;
    const verified = [iss, sub, clientId, scopes.toSorted(), org_id, email, otherToken(caller)];
    return JSON.stringify(
      sub === undefined && clientId === '' ? [verified, auth.token, sessionId] : verified,
    );
  },
};

function createRegistry(calls: number): ToolRegistry {
  let runs = 0;
  const run = async (): Promise<string> => {
    const number = ++runs;
    // Calls of other callers run in between.
    await Promise.resolve();
    return `run ${number}`;
  };
  const tool = (name: string, more: object) => ({
    name,
    description: 'Runs',
    inputSchema: {},
    handler: run,
    ...more,
  });
  const rateLimiter = { calls, windowMs: 60_000, anonymousCalls: 1_000 };
  return new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter }).register(
    tool('read', { readOnly: true, cached: { ttlMs: 60_000 } }),
    tool('pay', { idempotency: true }),
    tool('limited', {}),
  );
}

const optionsOf = ({ accessToken, ...caller }: Someone): RequestOptions =>
  ({ caller, accessToken }) as RequestOptions;

it('shares answers of interleaved calls exactly within one caller', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someone, { minLength: 2, maxLength: 24 }), async (callers) => {
      const registry = createRegistry(100);
      for (const name of ['read', 'pay'] as const) {
        const answers = await Promise.all(
          callers.map((caller) =>
            registry.executeTool({
              name,
              ...optionsOf(caller),
              ...(name === 'pay' ? { idempotencyKey: 'k' } : {}),
            }),
          ),
        );
        const texts = answers.map(({ content: [block] }) => (block as { text: string }).text);
        const groups = new Map<string, Set<string>>();
        for (const [at, text] of texts.entries()) {
          const rule = rules[name](callers[at] as Someone);
          groups.set(rule, (groups.get(rule) ?? new Set()).add(text));
        }
        for (const group of groups.values()) expect([...group]).toEqual([expect.stringMatching(/^run \d+$/)]);
        expect(new Set(texts).size).toBe(groups.size);
      }
    }),
    { numRuns: runs(300) },
  );
});

it('limits each caller separately when calls are interleaved', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someone, { minLength: 2, maxLength: 40 }), async (callers) => {
      const calls = 2;
      const registry = createRegistry(calls);
      const used = new Map<string, number>();
      for (const caller of callers) {
        const { isError } = await registry.executeTool({ name: 'limited', ...optionsOf(caller) });
        const rule = rules.limited(caller);
        used.set(rule, (used.get(rule) ?? 0) + 1);
        expect(isError === true).toBe((used.get(rule) ?? 0) > calls);
      }
    }),
    { numRuns: runs(300) },
  );
});
