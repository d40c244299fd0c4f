import { describe, expect, it } from 'vitest';
import { pathOf, runProgram } from './cli-program.js';
import { failureOf } from './cli-test-report.js';
import type { Report } from './cli-test-report.js';

describe('toolfold test with a server on another framework', () => {
  it('finds its faults, and starts it again after a crash', async () => {
    const command = ['--', process.execPath, pathOf('test/wire/programs/raw-faults.mjs')];
    const { out } = await runProgram([
      'test',
      '--json',
      '--protocol',
      '2025',
      '--timeout',
      '3',
      '--seed',
      '7',
      '--runs',
      '20',
      ...command,
    ]);
    const report = JSON.parse(out) as Report;
    const messageOf = (address: string): unknown => failureOf(report, address)?.failure?.message;
    expect(messageOf('accepts')).toBe('The input does not match inputSchema, and the tool accepted it.');
    expect(messageOf('exits')).toContain('exited or closed its output before it answered');
    expect(failureOf(report, 'exits')?.failure?.input).toEqual({ id: 101 });
    expect(messageOf('hangs')).toContain('There was no answer for 3 s');
    expect(messageOf('output')).toContain('does not match outputSchema: ok');
    expect(messageOf('refuses')).toContain('The call failed with a protocol error');
    expect(report.operations.at(-1)).toMatchObject({ address: 'wipes', status: 'skipped' });
    expect(failureOf(report, 'refuses')?.call).toMatch(
      /^toolfold call refuses --input .* -- .*raw-faults\.mjs$/,
    );
  });
});
