import { vi } from 'vitest';

/** The default of `vi.waitFor` is one second, which is too short for other processes on a busy machine. */
const { waitFor } = vi;
if (waitFor.name !== 'waitPatiently')
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, typeof options === 'number' ? options : { timeout: 30_000, ...options });
  };
