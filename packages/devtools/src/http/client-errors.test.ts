import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createDemo } from '../../test/page/demo-registry.js';
import { createTestSource, openTestPage } from '../../test/page/page-client.js';
import { answerClientError } from './client-errors.js';

const open = () => openTestPage(createTestSource({ registry: createDemo().registry, found: 'registry' }));

describe('A request that cannot be read', () => {
  it('is answered with 431 if its headers are too large', async () => {
    const page = await open();
    const large = `x-large: ${'x'.repeat(20_000)}`;
    const answer = await page.send(`GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n${large}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('"The headers of the request have more than 16 kB."');
  });

  it('is answered with 400 if it is malformed', async () => {
    const page = await open();
    expect(await page.send('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('is answered with 408 if it takes too long', () => {
    const socket = new PassThrough();
    answerClientError(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('keeps no connection of a client that leaves its side open', async () => {
    // The client neither reads the answer nor ends its side of the connection.
    const socket = new PassThrough();
    answerClientError(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    expect(socket.destroyed).toBe(false);
    await expect.poll(() => socket.destroyed).toBe(true);
  });

  it('is cut off if its answer has begun', () => {
    const socket = Object.assign(new PassThrough(), { _httpMessage: { headersSent: true } });
    answerClientError(new Error('late'), socket);
    expect(socket.read()).toBeNull();
    expect(socket.destroyed).toBe(true);
  });
});
