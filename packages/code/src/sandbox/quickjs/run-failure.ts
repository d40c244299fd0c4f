import { findPosition } from '../prepare-code.js';
import type { CodeLimits, RunFailure } from '../sandbox.js';
import { CpuExceeded } from './cpu-clock.js';
import { cpuFailure, failures, memoryFailure } from './failures.js';

export interface GuestEnd {
  readonly kind: 'value' | 'large' | 'thrown' | 'unhandled' | 'result';
  readonly value?: string;
  readonly size?: number;
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
}

const isOutOfMemory = (name: string, message: string): boolean =>
  name === 'InternalError' && message === 'out of memory';
const isStackOverflow = (name: string, message: string): boolean =>
  name === 'RangeError' && message.startsWith('Maximum call stack size exceeded');

export function toFailure(end: GuestEnd, limits: CodeLimits): RunFailure {
  const { name = 'Error', message = '', stack = '', code } = end;
  const position = findPosition(stack);
  if (isOutOfMemory(name, message)) return { ...memoryFailure(limits), ...position };
  if (isStackOverflow(name, message)) return { ...failures.stack, ...position };
  if (end.kind === 'result')
    return { kind: 'result', name, message: `The result cannot be written as JSON: ${message}` };
  // Redaction removes values after "token:", because they may be credentials.
  const shown = message.replace(/^unexpected token: /, 'unexpected ');
  const kind = end.kind === 'unhandled' ? end.kind : 'thrown';
  return { kind, name, message: shown, ...position, ...(code === undefined ? {} : { code }) };
}

/** Converts an error that left the instance, which is unusable afterwards. */
export function failureOf(error: unknown, limits: CodeLimits): RunFailure {
  if (error instanceof CpuExceeded) return cpuFailure(limits);
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  // V8 throws a RangeError if the frames of the guest exceed its own stack, and a RuntimeError if they leave the stack of the instance.
  if (isStackOverflow(name, message)) return failures.stack;
  if (name === 'RuntimeError')
    return message.includes('unreachable') ? memoryFailure(limits) : failures.stack;
  if (name === 'SyntaxError') return { kind: 'syntax', name, message, ...findPosition(stack ?? '') };
  return memoryFailure(limits);
}
