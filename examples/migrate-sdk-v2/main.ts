/**
 * A 2026 client and a 2025 client call a server of SDK v2, the same server with a registry attached, and the migrated
 * server. Exits with an error if the answers differ unexpectedly.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, textOf } from '../migrate-sdk-v1/compare.js';
import type { Answers } from '../migrate-sdk-v1/compare.js';

const same = {
  read: { name: 'read_note', arguments: { id: '1' } },
  count: { name: 'count_words', arguments: { id: '1' } },
  write: { name: 'write_note', arguments: { id: '2', text: 'Call Ada' } },
  'read what was written': { name: 'read_note', arguments: { id: '2' } },
};
const other = {
  'a field is missing': { name: 'read_note', arguments: {} },
  'a field is unknown': { name: 'read_note', arguments: { id: '1', note: '1' } },
  'the handler throws': { name: 'read_note', arguments: { id: '9' } },
  'the tool is unknown': { name: 'read_notes', arguments: {} },
};

async function drive(file: string, mode: 'auto' | 'legacy'): Promise<Answers> {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  const args = ['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url))];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
  return ask(client, { ...same, ...other }, 'note://1');
}

for (const mode of ['auto', 'legacy'] as const) {
  const [before, step, after] = (await Promise.all(
    ['before.ts', 'step.ts', 'after.ts'].map((file) => drive(file, mode)),
  )) as [Answers, Answers, Answers];
  for (const what of ['tools', 'resource', ...Object.keys(same)]) {
    assert.deepEqual(step[what], before[what], what);
    assert.deepEqual(after[what], before[what], what);
  }
  const era = mode === 'auto' ? '2026-07-28' : '2025-11-25';
  console.log(`The same in ${era}: tools, resource, ${Object.keys(same).join(', ')}`);
  for (const what of Object.keys(other)) {
    // The migrated server throws `ErrToolFailed`, whose message is sent unchanged.
    assert.deepEqual(after[what], (what === 'the handler throws' ? before : step)[what], what);
    if (mode === 'auto')
      console.log(`${what}\n  before: ${textOf(before[what])}\n  after:  ${textOf(after[what])}`);
  }
}
