import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSource } from './open-source.js';
import type { SourceOptions } from './shown-server.js';

it('gives the page the words of the target, so that a file with spaces in its name stays one word', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold open '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tools.json');
  writeFileSync(file, JSON.stringify({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }));
  const terminal = { notify: () => {} } as unknown as SourceOptions['terminal'];
  const { source, close } = await openSource({ file }, { terminal } as SourceOptions);
  expect(source.words).toEqual([file]);
  await close();
});
