/**
 * A client of SDK v1 calls a server of SDK v1, the same server with a registry attached, and the migrated server. Exits
 * with an error if the answers differ unexpectedly.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ask, textOf } from './compare.js';
import type { Answers } from './compare.js';

async function drive(file: string, calls: Parameters<typeof ask>[1], uri?: string): Promise<Answers> {
  const client = new Client({ name: 'example', version: '1.0.0' });
  const args = ['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url))];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return ask(client, calls, uri);
}

const same = {
  read: { name: 'read_note', arguments: { id: '1' } },
  count: { name: 'count_words', arguments: { id: '1', longest: true } },
  write: { name: 'write_note', arguments: { id: '2', text: 'Call Ada' } },
  'read what was written': { name: 'read_note', arguments: { id: '2' } },
};
const other = {
  'a field is missing': { name: 'read_note', arguments: {} },
  'a field is unknown': { name: 'read_note', arguments: { id: '1', note: '1' } },
  'the handler throws': { name: 'read_note', arguments: { id: '9' } },
  'the tool is unknown': { name: 'read_notes', arguments: {} },
};

const [before, step, after] = (await Promise.all(
  ['before.ts', 'step.ts', 'after.ts'].map((file) => drive(file, { ...same, ...other }, 'note://1')),
)) as [Answers, Answers, Answers];
for (const what of ['tools', 'resource', ...Object.keys(same)]) {
  assert.deepEqual(step[what], before[what], what);
  assert.deepEqual(after[what], before[what], what);
}
console.log(`The same: tools, resource, ${Object.keys(same).join(', ')}`);
for (const what of Object.keys(other)) {
  // The migrated server throws `ErrToolFailed`, whose message is sent unchanged.
  assert.deepEqual(after[what], (what === 'the handler throws' ? before : step)[what], what);
  console.log(`${what}\n  before: ${textOf(before[what])}\n  after:  ${textOf(after[what])}`);
}

const shout = { shout: { name: 'shout_note', arguments: { id: '1' } } };
const [lowLevel, lowLevelStep] = (await Promise.all(
  ['low-level.ts', 'low-level-step.ts'].map((file) => drive(file, shout)),
)) as [Answers, Answers];
assert.deepEqual(lowLevelStep, lowLevel);
console.log('The same without McpServer: tools,', Object.keys(shout).join(', '));
