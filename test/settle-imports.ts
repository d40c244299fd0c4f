import { afterAll, vi } from 'vitest';

// Files share their modules. An import that still runs when its file ends fails, and fails for all later files too.
afterAll(() => vi.dynamicImportSettled());
