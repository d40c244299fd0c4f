import { quote } from '@toolfold/analysis/internal';
import type { Target } from '../target/read-target.js';
import { toLine } from 'toolfold/internal';
import type { CheckedProperty, CheckName } from './contract.js';

export interface TestedOperation {
  readonly address: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
  readonly checks: readonly (CheckedProperty & { readonly call?: string; readonly repeat?: string })[];
}

export interface TestReport {
  readonly seed: number;
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly operations: readonly TestedOperation[];
}

const inputs: Readonly<Record<CheckName, string>> = {
  valid: 'valid input',
  invalid: 'invalid input',
  idempotent: 'repeated call',
  repeated: 'list',
};

export function writeOperation({ address, status, reason, checks }: TestedOperation, width: number): string {
  const mark = { passed: '✓', failed: '✗', skipped: '-' }[status];
  const name = toLine(address).padEnd(width);
  if (status === 'skipped') return `${mark} ${name}  skipped: ${reason ?? ''}`;
  const facts = checks.map(({ name: check, runs, succeeded, note }) => {
    const worked = check === 'valid' && runs > 0 ? ` (${succeeded} without an error)` : '';
    return `${runs} ${inputs[check]}${runs === 1 ? '' : 's'}${worked}${note === undefined ? '' : `, ${note}`}`;
  });
  const failures = checks.flatMap((check) => (check.failure ? [writeFailure(check)] : []));
  return [`${mark} ${name}  ${facts.join('; ')}`, ...failures].join('\n');
}

function writeFailure({ name, failure, call, repeat }: TestedOperation['checks'][number]): string {
  if (!failure) return '';
  const shrunk =
    failure.shrinks > 0 ? `, made smaller in ${failure.shrinks} step${failure.shrinks === 1 ? '' : 's'}` : '';
  return [
    `    ${inputs[name]}: ${failure.message}`,
    `    input${shrunk}: ${toLine(JSON.stringify(failure.input), 2_000)}`,
    ...(call === undefined ? [] : [`    call:   ${call}`]),
    ...(repeat === undefined ? [] : [`    repeat: ${repeat}`]),
  ].join('\n');
}

export function writeSummary({ seed, passed, failed, skipped }: TestReport): string {
  const parts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `\n${parts.join(', ')}. Seed: ${seed}`;
}

/** Options that the printed command lines repeat. Values of headers are omitted, because they may be secrets. */
interface RepeatedOptions {
  readonly scopes: readonly string[];
  readonly protocol: string;
}

export function writeCall(target: Target, address: string, input: object, options: RepeatedOptions): string {
  return writeLine('call', target, [address, '--input', JSON.stringify(input)], options);
}

export function writeRepeat(
  target: Target,
  address: string,
  { seed, runs, isRisky }: { readonly seed: number; readonly runs: number; readonly isRisky: boolean },
  options: RepeatedOptions,
): string {
  const flags = ['--only', address, '--seed', String(seed), '--runs', String(runs)];
  return writeLine('test', target, isRisky ? [...flags, '--include-destructive'] : flags, options);
}

function writeLine(
  command: string,
  target: Target,
  words: readonly string[],
  { scopes, protocol }: RepeatedOptions,
): string {
  const flags = [
    ...(scopes.length > 0 ? ['--scopes', scopes.join(',')] : []),
    ...(protocol === 'auto' ? [] : ['--protocol', protocol]),
  ];
  const all = [...words, ...flags].map(quote).join(' ');
  if ('file' in target) return `toolfold ${command} ${quote(target.file)} ${all}`;
  if ('command' in target)
    return `toolfold ${command} ${all} -- ${[target.command, ...target.args].map(quote).join(' ')}`;
  const headers = Object.keys(target.headers ?? {}).map((name) => ` --header ${quote(`${name}: …`)}`);
  return `toolfold ${command} ${quote(target.url)} ${all}${headers.join('')}`;
}
