/** The scopes of the showcase, its default caller, and callers with API keys. */
import { readFileSync } from 'node:fs';
import { apiKeys } from 'toolfold/web';
import type { Authenticator } from 'toolfold/web';
import * as z from 'zod';
import { StartError } from './errors.js';

/** Allows adding and changing records. */
export const WRITE = 'finance:write';
/** Allows deleting records. */
export const MANAGE = 'finance:manage';

/** Without `--keys`, all clients are this one caller, and share its rate limits and request ids. */
export const owner = { clientId: 'owner', scopes: [WRITE, MANAGE], extra: { sub: 'owner' } };

export const asOwner: Authenticator = { authenticate: () => ({ auth: { token: '', ...owner } }) };

const keysSchema = z.array(
  z.strictObject({
    key: z.string().min(32),
    clientId: z.string().min(1),
    scopes: z.array(z.enum([WRITE, MANAGE])),
  }),
);

/** Reads callers and their keys from a file: `[{ "key": "…", "clientId": "ada", "scopes": ["finance:write"] }]`. */
export function readKeys(file: string): Authenticator {
  try {
    return apiKeys({ keys: keysSchema.min(1).parse(JSON.parse(readFileSync(file, 'utf8'))) });
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StartError(
      `The keys in ${file} cannot be used: ${reason}\n` +
        `Write [{ "key": "at least 32 characters", "clientId": "ada", "scopes": ["${WRITE}", "${MANAGE}"] }].`,
    );
  }
}
