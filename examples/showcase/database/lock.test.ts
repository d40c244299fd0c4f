import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'showcase-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lockOf = (pid: number | string): void => writeFileSync(join(folder, 'lock'), String(pid));

describe('the lock of a folder', () => {
  it('contains the process id until it is released, and then leaves no files', () => {
    const unlock = lockFolder(folder);
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(String(process.pid));
    expect(readdirSync(folder)).toEqual(['lock']);
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a running process is respected: the error names the process and what to do', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      lockOf(child.pid ?? 0);
      expect(() => lockFolder(folder)).toThrow(`in use by process ${child.pid}`);
      expect(() => lockFolder(folder)).toThrow('--data');
      expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(String(child.pid));
      expect(readdirSync(folder)).toEqual(['lock']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('of a dead process is taken over', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => child.once('exit', resolve));
    lockOf(child.pid ?? 0);
    const unlock = lockFolder(folder);
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(String(process.pid));
    unlock();
  });

  it.each(['', 'nonsense', '-1', '0'])('with the invalid process id %j is taken over', (text) => {
    lockOf(text);
    lockFolder(folder)();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('is not removed on release if another process has taken it over', () => {
    const unlock = lockFolder(folder);
    lockOf(1);
    unlock();
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('1');
  });
});
