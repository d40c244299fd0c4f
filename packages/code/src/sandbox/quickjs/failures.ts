import type { CodeLimits, RunFailure } from '../sandbox.js';

export const failures = {
  closed: { kind: 'closed', name: 'Error', message: 'The run was ended.' },
  stuck: {
    kind: 'stuck',
    name: 'Error',
    message: 'The code waits for a promise that nothing settles.',
  },
  stack: {
    kind: 'stack',
    name: 'RangeError',
    message: 'The code recurses too deeply, or handles data that is nested too deeply.',
  },
} as const satisfies Record<string, RunFailure>;

export const cpuFailure = ({ cpuMs }: CodeLimits): RunFailure => ({
  kind: 'cpu',
  name: 'Error',
  message: `The code computed for more than ${cpuMs} ms, without the time of its calls.`,
});

export const memoryFailure = ({ memoryBytes }: CodeLimits): RunFailure => ({
  kind: 'memory',
  name: 'Error',
  message: `The code used more than ${memoryBytes} bytes of memory.`,
});

export const largeFailure = ({ resultBytes }: CodeLimits, size: number): RunFailure => ({
  kind: 'result',
  name: 'RangeError',
  message: `The result has ${size} bytes, more than the ${resultBytes} that are allowed.`,
});
