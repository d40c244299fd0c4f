import {
  chmodSync,
  lstatSync,
  mkdirSync,
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
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile } from './replace-file.js';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-replace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('replaceFile', () => {
  it('replaces a file with its mode, creates a new one, and leaves no other file', () => {
    const folder = createFolder();
    const file = join(folder, 'list.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    replaceFile(file, 'new');
    replaceFile(join(folder, 'other.json'), 'other');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['list.json', 'other.json']);
  });

  it('keeps a symbolic link, and replaces the file that it names', () => {
    const folder = createFolder();
    const [file, link] = [join(folder, 'list.json'), join(folder, 'link.json')];
    writeFileSync(file, 'old');
    symlinkSync(file, link);
    replaceFile(link, 'new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  it('names the file of the user in errors', () => {
    const folder = createFolder();
    const missing = join(folder, 'missing', 'list.json');
    expect(() => replaceFile(missing, 'new')).toThrow(`open '${missing}'`);
    mkdirSync(join(folder, 'folder'));
    expect(() => replaceFile(join(folder, 'folder'), 'new')).toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['folder']);
  });
});
