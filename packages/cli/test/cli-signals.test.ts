import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, startHere } from './cli-program.js';

const tools = Array.from({ length: 3 }, (_, at) => ({
  name: `tool_${at}`,
  description: 'Shows a number<!-- hidden -->',
  inputSchema: { type: 'object', properties: { size: { type: 'integer', exclusiveMinimum: 1 } } },
}));

it.each([
  ['inspect', ['inspect', 'tools.json']],
  ['inspect --clients', ['inspect', '--clients', 'tools.json']],
  ['lint', ['lint', 'tools.json']],
  ['lint --fix', ['lint', '--fix', 'tools.json']],
  ['lint --fix --output', ['lint', '--fix', '--output', 'written', 'tools.json']],
  ['tokens', ['tokens', 'tools.json']],
  ['lock', ['lock', '--output', 'written', 'tools.json']],
  ['diff', ['diff', 'tools.json', 'other.json']],
])('%s ends with 130 on Ctrl-C, without a report and without a file', async (_, argv) => {
  const text = JSON.stringify({ tools });
  const cwd = folderWith({ 'tools.json': text, 'other.json': '[]' });
  const { kill, written, exit } = startHere(argv, { cwd });
  kill('SIGINT');
  expect(await exit).toBe(130);
  expect(written).toEqual({ out: '', err: '' });
  expect(existsSync(join(cwd, 'written'))).toBe(false);
  expect(readFileSync(join(cwd, 'tools.json'), 'utf8')).toBe(text);
});
