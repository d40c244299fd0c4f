import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectLogs, textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import type { Caller } from 'toolfold';

const by = (sub: string, scopes: string[] = []): Caller => ({
  auth: { token: `token-of-${sub}`, clientId: 'c', scopes, extra: { sub, iss: 'i' } },
});

const subOf = ({ caller }: { caller?: Caller }): string | undefined =>
  (caller?.auth?.['extra'] as { sub: string } | undefined)?.sub;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runs of several callers at once', () => {
  it('see only what their own caller may see', async () => {
    const { run } = createCodeServer({
      tools: [
        {
          name: 'whoami',
          readOnly: true,
          handler: async ({
            context,
          }: {
            context: { caller: Caller; accessToken?: string; session: object; app: unknown };
          }) => {
            await turn();
            return {
              sub: context.caller.auth?.['extra'] as object,
              accessToken: context.accessToken,
              session: context.session,
              app: context.app,
            };
          },
        },
        { name: 'secret', readOnly: true, scopes: ['admin'], handler: () => 'the secret' },
        {
          name: 'cached',
          readOnly: true,
          cached: { ttlMs: 60_000 },
          handler: async ({ context }: { context: { caller: Caller } }) => {
            await turn();
            return context.caller.auth?.['extra'];
          },
        },
      ],
      registry: {
        contextFactory: async (request: { caller?: Caller }) => {
          await turn();
          return { appOf: subOf(request) };
        },
        tenant: subOf,
      } as never,
      scripts: {
        all: async ({ call, log }) => {
          const seen: unknown[] = [];
          for (let round = 0; round < 5; round++) {
            const [me, cached] = await Promise.all([call('whoami'), call('cached')]);
            seen.push(me, cached);
            log(JSON.stringify(me));
          }
          const secret = await call('secret').catch(({ code }: { code: string }) => code);
          return { seen, secret };
        },
      },
    });
    const subs = ['ada', 'bob', 'eve', 'joe'];
    const results = await Promise.all(
      subs.map((sub) =>
        run('all', {
          caller: by(sub, sub === 'ada' ? ['admin'] : []),
          accessToken: `access-of-${sub}`,
          session: { context: { account: sub }, hash: `hash-${sub}` } as never,
        }),
      ),
    );
    for (const [index, sub] of subs.entries()) {
      const [value, logs] = (results[index] as { content: { text: string }[] }).content;
      const { seen, secret } = JSON.parse(value?.text ?? '') as { seen: unknown[]; secret: string };
      const me = {
        sub: { sub, iss: 'i' },
        accessToken: `access-of-${sub}`,
        session: { account: sub },
        app: { appOf: sub },
      };
      expect(seen).toEqual(Array.from({ length: 5 }, () => [me, { sub, iss: 'i' }]).flat());
      expect(secret).toBe(sub === 'ada' ? 'the secret' : 'ErrInsufficientScope');
      for (const other of subs.filter((each) => each !== sub)) {
        expect(value?.text).not.toContain(other);
        expect(logs?.text).not.toContain(other);
      }
    }
  });

  it('are told apart by the sandbox, by tenant and caller', async () => {
    const { run, sandbox } = createCodeServer({
      tools: [{ name: 't', readOnly: true, handler: () => 1 }],
      registry: {
        tenant: ({ session }: { session?: { context: { t?: string } } }) => session?.context.t,
      } as never,
      scripts: { x: () => 1 },
    });
    const inTenant = (t: string) => ({ session: { context: { t }, hash: t } as never });
    await run('x', { caller: by('ada'), ...inTenant('one') });
    await run('x', { caller: by('ada'), ...inTenant('one') });
    await run('x', { caller: by('ada'), ...inTenant('two') });
    await run('x', { caller: by('bob'), ...inTenant('one') });
    const owners = sandbox.starts.map(({ owner }) => owner);
    expect(new Set(owners).size).toBe(3);
    expect(owners[0]).toBe(owners[1]);
  });
});

describe('credentials of the caller', () => {
  it('are in no error that the code can read, report or log', async () => {
    const { lines, logger } = collectLogs();
    const { run } = createCodeServer({
      tools: [
        {
          name: 'fail',
          readOnly: true,
          inputSchema: z.object({ note: z.string().optional() }),
          handler: ({ context }: { context: { accessToken?: string } }) => {
            throw new Error(`upstream rejected ${context.accessToken}`);
          },
        },
      ],
      registry: { logger },
      scripts: {
        caught: ({ call, log }) =>
          call('fail').catch(({ message }: Error) => {
            log(message);
            return message;
          }),
        uncaught: ({ call }) => call('fail'),
        thrown: () => {
          throw new Error('the token is access-of-ada-123456');
        },
      },
    });
    const request = { caller: by('ada'), accessToken: 'access-of-ada-123456' };
    for (const code of ['caught', 'uncaught', 'thrown']) {
      const result = await run(code, request);
      expect(JSON.stringify(result)).not.toContain('access-of-ada-123456');
      expect(textOf(result)).toMatch(/upstream rejected|the token is/);
    }
    expect(JSON.stringify(lines)).not.toContain('access-of-ada-123456');
  });

  it('do not hide the code, whose argument is named like a secret of OAuth', async () => {
    const { lines, logger } = collectLogs();
    const { run } = createCodeServer({
      tools: [{ name: 't', readOnly: true, handler: () => 1 }],
      registry: { logger },
      scripts: {
        'const total = sum(rows);': () => {
          throw new Error('sum is not defined');
        },
      },
    });
    const result = await run('const total = sum(rows);', { meta: { x: 1 } });
    expect(textOf(result)).toContain('1 | const total = sum(rows);');
    expect(JSON.stringify(lines)).toContain('sum(rows)');
  });
});
