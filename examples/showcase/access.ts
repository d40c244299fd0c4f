/** Who may do what. */
import { readFileSync } from 'node:fs';
import { apiKeys } from 'toolfold/web';
import type { Authenticator } from 'toolfold/web';
import * as z from 'zod';
import { StartError } from './errors.js';

/** Adding to the books and changing what is in them. */
export const WRITE = 'finance:write';
/** Taking things out of the books. */
export const MANAGE = 'finance:manage';

/**
 * Whoever starts the program, or reaches it on this machine, is its owner: one caller with any number of clients, to whom
 * limits and request ids are common.
 */
export const owner = { clientId: 'owner', scopes: [WRITE, MANAGE], extra: { sub: 'owner' } };

export const asOwner: Authenticator = { authenticate: () => ({ auth: { token: '', ...owner } }) };

const keysSchema = z.array(
  z.strictObject({
    key: z.string().min(32),
    clientId: z.string().min(1),
    scopes: z.array(z.enum([WRITE, MANAGE])),
  }),
);

/** Callers by their keys, from a file: `[{ "key": "…", "clientId": "ada", "scopes": ["finance:write"] }]`. */
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
