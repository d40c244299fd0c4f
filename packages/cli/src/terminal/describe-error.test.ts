import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeFrame, describeError, showPlace } from './describe-error.js';

const folder = mkdtempSync(join(tmpdir(), 'toolfold (errors) '));
const file = join(folder, 'server.ts');
writeFileSync(file, ['one', 'two', 'three();', '\tfour', 'five', ''].join('\n'));
afterAll(() => rmSync(folder, { recursive: true }));

const toolfold = new URL('../../../toolfold/src/index.ts', import.meta.url).pathname;

function withStack(error: Error, ...frames: string[]): Error {
  error.stack = [`${error.name}: ${error.message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

describe('the description of an error', () => {
  it("shows the author's frames first, with the lines around the first of them", () => {
    const error = withStack(
      new TypeError('no'),
      `parse (${join(folder, 'node_modules/x/a.js')}:1:1)`,
      `Object.handler (${file}:3:1)`,
      `runCall (${toolfold}:5:1)`,
      `async ${file}:5:2`,
      'node:internal/process/task_queues:95:5',
    );
    expect(describeError(error).split('\n')).toEqual([
      'TypeError: no',
      '    1 | one',
      '    2 | two',
      '  > 3 | three();',
      '      | ^',
      '    4 |  four',
      '    5 | five',
      `    at Object.handler (${file}:3:1)`,
      `    at ${file}:5:2`,
      '    … 3 frames in packages and Node',
    ]);
  });

  it('contains all causes and the errors of an aggregate, each once', () => {
    const inner = withStack(new RangeError('inner'), `${file}:2:1`);
    const outer = new AggregateError([inner, 'text'], 'several', { cause: inner });
    (inner as { cause?: unknown }).cause = outer;
    const text = describeError(outer);
    expect(text).toMatch(/^AggregateError: several\n/);
    expect(text.match(/Contains: RangeError: inner/g)).toHaveLength(1);
    expect(text).toContain('Contains: Thrown: text');
  });

  it.each([
    [undefined, 'Thrown: undefined'],
    ['text', 'Thrown: text'],
    [{ a: 1 }, 'Thrown: {"a":1}'],
    [Object.create(null), 'Thrown: {}'],
  ])('exists for a thrown value that is no error: %j', (thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });

  it('reads frames after a message that looks like frames', () => {
    const error = withStack(new Error('boom\n    at fake (/srv/fake.js:1:1)'), `real (${file}:1:1)`);
    expect(describeError(error).match(/^ {4}at .*$/gm)).toEqual([
      '    at fake (/srv/fake.js:1:1)',
      `    at real (${file}:1:1)`,
    ]);
  });

  it('shows the place that a compiler names in its message', () => {
    const error = withStack(new Error(`Transform failed with 1 error:\n${file}:3:5: ERROR: Unexpected`));
    expect(describeError(error)).toContain('  > 3 | three();\n      |      ^');
  });
});

describe('a code frame', () => {
  it.each([
    { file: join(folder, 'none.ts'), line: 1, column: 1 },
    { file, line: 99, column: 1 },
  ])('is empty if the place does not exist: %#', (place) => {
    expect(codeFrame(place)).toBe('');
  });
});

it('shows places relative to the current folder', () => {
  expect(showPlace({ file: join(process.cwd(), 'a/b.ts'), line: 2, column: 3 })).toBe(join('a', 'b.ts:2:3'));
});
