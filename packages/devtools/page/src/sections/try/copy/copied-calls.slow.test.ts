import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CopiedCall } from './copied-call.js';
import { toToolfoldCall } from './to-command.js';
import { toTest } from './to-test.js';

const folder = 'node_modules/.cache/copied-calls';
const root = join(import.meta.dirname, '../../../../../../..');

const call: CopiedCall = {
  address: 'notes/text.add',
  input: { text: `Ada's "cat" $(id)`, due: { day: '2026-03-01' } },
  method: 'tools/call',
  params: {},
  form: 'grouped',
  profile: 'none',
  era: '2026',
  origin: 'http://127.0.0.1:1',
  words: ['examples/cli/registry.ts'],
  result: { content: [{ type: 'text', text: `added "Ada's "cat" $(id)", due on 2026-03-01` }] },
};

beforeAll(() => mkdirSync(join(root, folder), { recursive: true }));
afterAll(() => rmSync(join(root, folder), { recursive: true, force: true }));

describe('a copied call', () => {
  it('runs as a command of toolfold, with every character of its arguments', () => {
    const command = toToolfoldCall(call).replace('npx toolfold', 'node packages/cli/dist/main.js');
    const printed = execFileSync('/bin/sh', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect(printed.trim()).toBe(`added "Ada's "cat" $(id)", due on 2026-03-01`);
  });

  it('runs as a test that passes, and fails when the result is another', () => {
    const registry = "export { registry } from '../../../examples/cli/registry.js';\n";
    writeFileSync(join(root, folder, 'registry.ts'), registry);
    writeFileSync(join(root, folder, 'a.test.ts'), toTest({ ...call, era: '2025', form: 'flat' }));
    const wipe = { ...call, address: 'notes/text.wipe', input: {} };
    const denied = {
      content: [],
      isError: true,
      _meta: { 'toolfold/error': { code: 'ErrInsufficientScope' } },
    };
    writeFileSync(
      join(root, folder, 'b.test.ts'),
      toTest({ ...wipe, result: denied, caller: { scopes: [] } }),
    );
    const gone = { content: [{ type: 'text', text: 'gone' }] };
    const allowed = { ...wipe, result: gone, caller: { clientId: 'ada', scopes: ['notes:write'] } };
    writeFileSync(join(root, folder, 'c.test.ts'), toTest(allowed));
    const other = { content: [{ type: 'text', text: 'other' }] };
    writeFileSync(join(root, folder, 'd.test.ts'), toTest({ ...allowed, result: other }));
    const config = `export default { test: { include: ['**/*.test.ts'], exclude: [] } };\n`;
    writeFileSync(join(root, folder, 'vitest.config.mjs'), config);
    const report = runVitest();
    expect(report).toMatch(/1 failed.*3 passed/);
    expect(report).toMatch(/FAIL .*d\.test\.ts/);
  }, 120_000);
});

function runVitest(): string {
  try {
    return execFileSync(
      'node',
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--no-color'],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: 'pipe',
      },
    );
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}
