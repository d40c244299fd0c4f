import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** API keys: one caller may do everything, the other may write but not delete. */
export const OWNER_KEY = 'owner-key-of-the-tests-0123456789abcdef';
export const CLERK_KEY = 'clerk-key-of-the-tests-0123456789abcdef';

/** Writes the keys into a folder, for `--keys`. */
export function writeKeys(folder: string): string {
  const file = join(folder, 'keys.json');
  const keys = [
    { key: OWNER_KEY, clientId: 'owner', scopes: ['finance:write', 'finance:manage'] },
    { key: CLERK_KEY, clientId: 'clerk', scopes: ['finance:write'] },
  ];
  writeFileSync(file, JSON.stringify(keys));
  return file;
}
