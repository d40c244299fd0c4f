import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFile } from 'toolfold/node';
import { describe, expect, it } from 'vitest';
import { folderWith, runHere } from '../../test/cli-program.js';

const identify = async (file: string, key: string) => {
  const found = await keyFile(file).authenticate((name) => (name === 'x-api-key' ? key : undefined));
  return 'auth' in found ? { clientId: found.auth.clientId, scopes: found.auth.scopes } : undefined;
};

describe('toolfold key', () => {
  it('makes keys that keyFile accepts, and keeps only their SHA-256', async () => {
    const cwd = folderWith({});
    const file = join(cwd, 'keys.json');
    const first = await runHere(['key', 'ada', '--scopes', 'a:read,a:write'], { cwd });
    expect(first.code).toBe(0);
    expect(first.err).toContain('added a key of ada to keys.json');
    const second = await runHere(['key', 'bob', '--json'], { cwd });
    const [ada, bob] = [first.out.trim(), (JSON.parse(second.out) as { key: string }).key];
    expect(await identify(file, ada)).toEqual({ clientId: 'ada', scopes: ['a:read', 'a:write'] });
    expect(await identify(file, bob)).toEqual({ clientId: 'bob', scopes: [] });
    const text = readFileSync(file, 'utf8');
    for (const key of [ada, bob]) expect(text).not.toContain(key);
  });

  it.each([
    [[], 2, 'takes the name of one caller'],
    [['ada', 'bob'], 2, 'takes the name of one caller'],
    [['ada', '--scopes', 'a"b'], 2, '--scopes: "a"b" is not a scope.'],
    [['ada', '--file', 'wrong.json'], 1, 'wrong.json is not valid JSON'],
    [['ada', '--file', 'list.json'], 1, 'list.json must be { "keys": […] }.'],
    [['ada', '--file', 'no/folder/keys.json'], 1, 'cannot be written'],
  ])('rejects %j, and changes nothing', async (argv, code, message) => {
    const cwd = folderWith({ 'wrong.json': '{', 'list.json': '[]' });
    writeFileSync(join(cwd, 'keys.json'), '{"keys":[]}');
    const ended = await runHere(['key', ...argv], { cwd });
    expect(ended.err).toContain(message);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(readFileSync(join(cwd, 'keys.json'), 'utf8')).toBe('{"keys":[]}');
  });
});
