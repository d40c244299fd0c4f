import { describe, expect, it, vi } from 'vitest';
import type { ResolvedContext } from '../callers/session-context.js';
import { toRequestOptions } from './incoming-request.js';
import type { Notify } from './incoming-request.js';

const sessionWith = (accessToken: unknown): ResolvedContext =>
  ({ context: { accessToken }, hash: 'h' }) as unknown as ResolvedContext;

describe('toRequestOptions', () => {
  it('describes the caller by its origin and the fields that its client sent', () => {
    const options = toRequestOptions(
      { auth: { clientId: 'a' }, address: '192.0.2.1', clientId: 'c' },
      { protocolVersion: '2025-11-25', client: { name: 'n', version: '1' }, sessionId: 's' },
    );
    expect(options).toEqual({
      protocolVersion: '2025-11-25',
      caller: {
        auth: { clientId: 'a' },
        address: '192.0.2.1',
        client: { name: 'n', version: '1' },
        sessionId: 's',
      },
      clientId: 'c',
      asListed: true,
    });
  });

  it.each([
    ['the session', { session: sessionWith('own'), auth: { token: 'verified' } }, 'own'],
    ['the verified token', { auth: { token: 'verified' } }, 'verified'],
    [
      'the verified token, if that of the session is empty',
      { session: sessionWith(''), auth: { token: 't' } },
      't',
    ],
    [
      'nothing, if tokens are empty or not strings',
      { session: sessionWith(1), auth: { token: '' } },
      undefined,
    ],
  ])('reads the access token from %s', (_, origin, expected) => {
    expect(toRequestOptions(origin, {}).accessToken).toBe(expected);
  });

  it('sends progress only to clients that sent a token, and log messages only at the requested levels', async () => {
    const notify = vi.fn<Notify>();
    const isLogged = (level: string): boolean => level === 'error';
    const { progress, log } = toRequestOptions({}, { notify, isLogged, meta: { progressToken: 7 } });
    await progress?.(1, undefined, 'half');
    await log?.('info', 'quiet');
    await log?.('error', { a: 1 }, 'name');
    expect(notify.mock.calls).toEqual([
      ['notifications/progress', { progressToken: 7, progress: 1, message: 'half' }],
      ['notifications/message', { level: 'error', logger: 'name', data: { a: 1 } }],
    ]);
    expect(toRequestOptions({}, { notify })).not.toMatchObject({ progress: expect.anything() });
    expect(toRequestOptions({}, { isLogged, meta: { progressToken: 7 } })).toMatchObject({
      progress: undefined,
      log: undefined,
    });
  });

  it('rejects if a notification cannot be sent, without an unhandled rejection if the handler does not wait', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const notify = (): never => {
      throw new Error('gone');
    };
    const { log } = toRequestOptions({}, { notify, isLogged: () => true });
    await expect(log?.('error', 'a')).rejects.toThrow('gone');
    void log?.('error', 'b');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });
});
