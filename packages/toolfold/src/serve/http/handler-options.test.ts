import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ToolRegistry } from '../../index.js';
import { serveHttp, serveStdio } from '../../node.js';
import { createHandler } from '../../web.js';

describe('an unknown option', () => {
  it.each([
    ['serveHttp', () => serveHttp(new ToolRegistry(), { prot: 1 } as never), 'Did you mean "port"?'],
    [
      'createHandler',
      async () => createHandler(new ToolRegistry(), { allowedHost: [] } as never),
      '"allowedHosts"',
    ],
    [
      'createHandler',
      async () => createHandler(new ToolRegistry(), { sessions: { tllMs: 1 } as never }),
      '"ttlMs"',
    ],
    ['serveStdio', async () => serveStdio(new ToolRegistry(), { veiw: {} } as never), '"view"'],
  ] as const)('of %s is rejected before anything is served', async (_where, serve, hint) => {
    const rejected = serve();
    await expect(rejected).rejects.toThrow(ErrInvalidOptions);
    await expect(rejected).rejects.toThrow(hint);
  });
});

describe('an invalid option', () => {
  it.each([
    [{ port: 70_000 }, 'port'],
    [{ port: '3000' }, 'port'],
    [{ path: 'mcp' }, 'path'],
    [{ maxBodyBytes: -1 }, 'maxBodyBytes'],
    [{ bodyTimeoutMs: -1 }, 'bodyTimeoutMs'],
    [{ callerShare: 0 }, 'callerShare'],
    [{ callerShare: 25 }, 'callerShare'],
    [{ requestLimit: true }, 'requestLimit'],
    [{ requestLimit: { requests: 0, windowMs: 60_000 } }, 'requests'],
    [{ requestLimit: { requests: 5, windowMs: 0 } }, 'windowMs'],
    [{ allowedHosts: 'example.com' }, 'allowedHosts'],
    [{ graceMs: Number.NaN }, 'graceMs'],
    [{ sessions: { max: 0 } }, 'max'],
    [{ onError: 'log' }, 'onError'],
  ])('is rejected with its name: %j', async (options, name) => {
    await expect(serveHttp(new ToolRegistry(), options as never)).rejects.toThrow(
      new RegExp(`${name} must be`),
    );
  });
});
