import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { collectLogs, toolWith } from '../../../../test/calls.js';
import { ErrValidationFailed } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';

describe('results and logs', () => {
  const secret = 'zebra-9931-quagga';

  it.each<[string, object]>([
    ['a header that the SDK passes on', { sdk: { requestInfo: { headers: { 'x-api-key': secret } } } }],
    ['the _meta', { meta: { 'acme/apiKey': secret } }],
    ['the session', { caller: { sessionId: secret } }],
    ['the arguments', { arguments: { password: secret, note: secret } }],
    ['the claims', { caller: { auth: { token: 't', extra: { upstreamToken: secret } } } }],
  ])('contain no credential from %s', async (_where, request) => {
    const { lines, logger } = collectLogs();
    const registry = new ToolRegistry({ logger }).register(
      toolWith(
        () => {
          throw new Error(`upstream said ${secret}`);
        },
        { inputSchema: z.object({ password: z.string(), note: z.string() }).partial() },
      ),
    );
    const result = await registry.executeTool({ name: 't', ...request });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('contain no header of a web request', async () => {
    const req = new Request('http://x/', { headers: { 'x-api-key': 'zq9opaque-plain-7731' } });
    const { lines, logger } = collectLogs();
    const registry = new ToolRegistry({ logger }).register(
      toolWith(() => {
        throw new Error('bad key zq9opaque-plain-7731');
      }),
    );
    const result = await registry.executeTool({ name: 't', sdk: { http: { req } } });
    expect(JSON.stringify([result, lines])).not.toContain('opaque-plain');
  });

  it('contain no credential if a prompt or a resource fails', async () => {
    const { lines, logger } = collectLogs();
    const fail = () => {
      throw new ErrValidationFailed(`no ${secret}`);
    };
    const registry = new ToolRegistry({ logger, contextFactory: () => ({ apiKey: secret }) })
      .registerPrompt({ name: 'p', handler: fail })
      .registerResource({ name: 'r', uri: 'a://b', handler: fail });
    await expect(registry.getPrompt({ name: 'p' })).rejects.toThrow('no [redacted]');
    await expect(registry.readResource({ uri: 'a://b' })).rejects.toThrow('no [redacted]');
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('contain no session id', async () => {
    const { lines, logger } = collectLogs();
    const registry = new ToolRegistry({ logger }).register(toolWith(() => 1));
    await registry.executeTool({ name: 't', caller: { sessionId: 's3cr-77' } });
    expect(JSON.stringify(lines)).not.toContain('s3cr');
  });
});
