import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveFile } from './print-result.js';

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-save-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const save = (text: string, force: boolean): string =>
    saveFile(Buffer.from(text), { name: 'result', mimeType: 'text/plain', folder, force });
  return { folder, save };
}

it('does not write through a symbolic link with --force', () => {
  const { folder, save } = setUp();
  const outside = join(mkdtempSync(join(tmpdir(), 'toolfold-outside-')), 'precious');
  writeFileSync(outside, 'precious');
  symlinkSync(outside, join(folder, 'result.txt'));
  expect(() => save('evil', true)).toThrow('result.txt is not a regular file, so it is not replaced');
  expect(readFileSync(outside, 'utf8')).toBe('precious');
  expect(readdirSync(folder)).toEqual(['result.txt']);
});

it('does not create the target of a dangling link, with or without --force', () => {
  const { folder, save } = setUp();
  const missing = join(folder, 'missing');
  symlinkSync(missing, join(folder, 'result.txt'));
  expect(() => save('evil', true)).toThrow('is not a regular file');
  expect(save('other', false)).toBe(join(folder, 'result-2.txt'));
  expect(readdirSync(folder).toSorted()).toEqual(['result-2.txt', 'result.txt']);
});

it('replaces a file with --force, keeps its mode, and leaves nothing beside it', () => {
  const { folder, save } = setUp();
  const path = save('first', false);
  chmodSync(path, 0o600);
  expect(save('second', true)).toBe(path);
  expect(readFileSync(path, 'utf8')).toBe('second');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['result.txt']);
});
