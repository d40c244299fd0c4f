import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyFile } from './key-file.js';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'keys.json');
}

const keyOf = (name: string): string => name.repeat(32);
const entryOf = (name: string, scopes: readonly string[] = []) => ({
  clientId: name,
  scopes,
  sha256: createHash('sha256').update(keyOf(name)).digest('hex'),
});
const header = (name: string) => (asked: string) => (asked === 'x-api-key' ? keyOf(name) : undefined);

describe('a file of API keys', () => {
  it('names callers and their scopes by the SHA-256 of their keys', async () => {
    const path = newFile();
    writeFileSync(path, JSON.stringify({ keys: [entryOf('a', ['notes:write']), entryOf('b')] }));
    const auth = keyFile(path);
    await auth.ready?.();
    expect(await auth.authenticate(header('a'))).toMatchObject({
      auth: { clientId: 'a', scopes: ['notes:write'] },
    });
    expect(await auth.authenticate(header('c'))).toMatchObject({ rejection: { status: 401 } });
    expect(await auth.authenticate(() => entryOf('a').sha256)).toMatchObject({ rejection: { status: 401 } });
  });

  it('applies a change to the next request, whether the file is written or replaced', async () => {
    const path = newFile();
    writeFileSync(path, JSON.stringify([entryOf('a')]));
    const auth = keyFile(path);
    expect(await auth.authenticate(header('a'))).toHaveProperty('auth');
    writeFileSync(path, JSON.stringify([entryOf('a'), entryOf('b')]));
    expect(await auth.authenticate(header('b'))).toHaveProperty('auth');
    writeFileSync(`${path}.new`, JSON.stringify([entryOf('b')]));
    renameSync(`${path}.new`, path);
    expect(await auth.authenticate(header('a'))).toHaveProperty('rejection');
  });

  it.each([
    [
      'is missing',
      undefined,
      /cannot be read: ENOENT\. Make a key: npx toolfold key ada --file .*keys\.json/,
    ],
    ['is not JSON', '{', /is not valid JSON/],
    ['has no keys', '{}', /apiKeys\(\{ keys \}\) must be a list with a key/],
    [
      'has a wrong hash',
      '[{"clientId":"a","sha256":"12"}]',
      /keys \}\)\[0\]\.sha256 must be the SHA-256 of a key/,
    ],
    ['has a key twice', `[{"clientId":"a","key":"${keyOf('a')}","sha256":"12"}]`, /\[0\]\.key must be/],
  ])('keeps a server from starting, and rejects requests, if it %s', async (_, text, message) => {
    const path = newFile();
    if (text !== undefined) writeFileSync(path, text);
    const auth = keyFile(path);
    await expect(auth.ready?.()).rejects.toThrow(message);
    expect(() => auth.authenticate(header('a'))).toThrow(message);
  });
});
