import { assertOptions, oneOf, record, withMethods } from '@toolfold/schema/internal';
import type { Rule } from '@toolfold/schema/internal';
import type { CodeLimits, Sandbox } from '../sandbox/sandbox.js';

/** Configures the code form: what code may do, its limits, and the sandbox that runs it. */
export interface CodeSettings {
  /**
   * The actions that code may call. With `read`, only actions that are declared read-only. With `write`, all; those that are destructive
   * or declare no hints need the confirmation of a person for each call. Default: `read`.
   */
  readonly allow?: 'read' | 'write' | undefined;
  /** Limits of each run. Default: `defaultCodeLimits`. */
  readonly limits?: Partial<CodeLimits> | undefined;
  /** Runs the code. Default: QuickJS in threads, which needs the package `quickjs-wasi`. */
  readonly sandbox?: Sandbox | undefined;
}

const largest: CodeLimits = {
  cpuMs: 60_000,
  wallMs: 3_600_000,
  memoryBytes: 2 ** 30,
  codeBytes: 2 ** 20,
  calls: 10_000,
  concurrentCalls: 100,
  callBytes: 2 ** 26,
  logBytes: 2 ** 20,
  resultBytes: 2 ** 24,
};

const atMost = (most: number): Rule => [
  (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= most,
  `a whole number from 1 to ${most}`,
];

export function assertCodeSettings(code: CodeSettings): void {
  const { limits } = code;
  const rules = {
    allow: oneOf('read', 'write'),
    limits: record('limits, as in defaultCodeLimits'),
    sandbox: withMethods('start', 'close'),
  };
  assertOptions('code', code, rules, { nameOf: (name) => `code.${name}` });
  if (!limits) return;
  const ofLimits = Object.fromEntries(Object.entries(largest).map(([name, most]) => [name, atMost(most)]));
  assertOptions('code.limits', limits, ofLimits, { nameOf: (name) => `code.limits.${name}` });
}
