/** The type of `context.app` in handlers, and code that handlers share. */
import { initToolfold } from 'toolfold';
import type { RequestOptions, ToolContext } from 'toolfold';
import * as z from 'zod';
import { Rejected } from './store.js';
import type { Store } from './store.js';

/** Made for each request by `createContext`. */
export interface App {
  readonly store: Store;
  /** The verified caller. */
  readonly actor: string;
}

/** Makes the parts of the server, whose handlers read an `App` in `context.app`. */
export const t = initToolfold<App>();

/** A caller without a scope sees only the tools that need none. */
export const WRITE = 'tracker:write';
export const ADMIN = 'tracker:admin';

export const createContext =
  (store: Store) =>
  ({ caller }: RequestOptions): App => ({ store, actor: caller?.auth?.clientId ?? 'guest' });

// #region confirm
/** Asks the user before something is deleted. Call it before the handler changes anything. */
export async function confirm(context: ToolContext<App>, message: string): Promise<void> {
  const { answer } = await context.requestInput({
    answer: { message, schema: z.object({ confirm: z.boolean().describe('Yes, delete it') }) },
  });
  if (answer.action !== 'accept' || !answer.content.confirm)
    throw new Rejected('The user did not confirm. Nothing was deleted.');
}
// #endregion confirm

/** The hints of actions of each kind. */
export const reads = { readOnly: true, openWorld: false } as const;
export const writes = { destructive: false, openWorld: false, scopes: [WRITE] } as const;
export const deletes = { destructive: true, openWorld: false, scopes: [WRITE] } as const;
export const manages = { destructive: false, openWorld: false, scopes: [ADMIN] } as const;

/** The arguments that all tools of a project have in common. */
export const inProject = z.object({
  project: z.string().meta({ description: 'Key of the project', examples: ['WEB'] }),
});
