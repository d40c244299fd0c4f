import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { frameOf } from './code-frame.js';

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'frame-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};

/** Writes ten numbered lines. */
const write = (file: string): string => {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n'));
  return file;
};

const failure = (message: string, ...frames: string[]): Error =>
  Object.assign(new Error(message), { stack: `Error: ${message}\n    at ${frames.join('\n    at ')}` });

describe('the code frame of an error', () => {
  it.each<[string, (file: string) => string]>([
    ['a function', (file) => `async load (${file}:5:7)`],
    ['the top level', (file) => `${file}:5:7`],
    ['an asynchronous top level', (file) => `async ${pathToFileURL(file).href}:5:7`],
    ['a method of a module', (file) => `Object.load [as handler] (${pathToFileURL(file).href}:5:7)`],
  ])('has three lines before and after the place in %s', (_what, frame) => {
    const file = write(join(folder(), 'a (b)', 'c d.ts'));
    expect(frameOf(failure('boom', 'node:fs:1:1', frame(file)))).toEqual({
      file,
      line: 5,
      column: 7,
      first: 2,
      lines: ['line 2', 'line 3', 'line 4', 'line 5', 'line 6', 'line 7', 'line 8'],
    });
  });

  it('shows the caller of a dependency', () => {
    const root = folder();
    const dependency = write(join(root, 'node_modules', 'x', 'index.js'));
    const own = write(join(root, 'own.js'));
    const error = failure('boom', `f (${dependency}:5:1)`, `g (${own}:1:1)`, `h (${own}:9:1)`);
    expect(frameOf(error)).toMatchObject({ file: own, line: 1, first: 1 });
  });

  it('reads only source files, and no file that only the message names', () => {
    const root = folder();
    const [source, other] = [write(join(root, 'a.mts')), write(join(root, '.env'))];
    expect(frameOf(failure('boom', `f (${other}:5:1)`))).toBeUndefined();
    expect(frameOf(failure('boom', `f (${join(root, 'gone.ts')}:5:1)`))).toBeUndefined();
    expect(frameOf(failure(`bad answer\n    at f (${source}:5:1)`, 'node:fs:1:1'))).toBeUndefined();
  });

  it('takes no time for a stack that is no stack', () => {
    const error = Object.assign(new Error('x'), { stack: ` at ${' (/'.repeat(1_000_000)}` });
    const before = performance.now();
    expect(frameOf(error)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
