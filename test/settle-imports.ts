import { afterAll, vi } from 'vitest';

const { setTimeout } = globalThis;

// Files share their modules. An import that still runs when its file ends fails, and fails for all later files too. A module that never ends
// its top-level await is not waited for.
afterAll(() =>
  Promise.race([
    vi.dynamicImportSettled(),
    new Promise((resolve) => void setTimeout(resolve, 10_000).unref()),
  ]),
);
