import { vi } from 'vitest';
import type { Mock } from 'vitest';

/** Work that the test completes. */
export function createWork<T>(): { work: Mock<() => Promise<T>>; finish: (result: T) => void } {
  const resolves: ((result: T) => void)[] = [];
  const result = new Promise<T>((resolve) => resolves.push(resolve));
  return { work: vi.fn<() => Promise<T>>(() => result), finish: (value) => resolves[0]?.(value) };
}
