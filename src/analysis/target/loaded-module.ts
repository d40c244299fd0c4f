import type { ToolRegistry } from '../../index.js';
import type { ToolsetConfig, Exposure, OfferedView, Toolsets } from '../../web.js';

/** The exports of a file that make up a server. */
export interface LoadedModule {
  readonly registry: ToolRegistry;
  /** The names of the exports that were used. */
  readonly found: string;
  readonly exposure?: Exposure | undefined;
  readonly toolsets?: Toolsets | undefined;
  readonly config?: ToolsetConfig | undefined;
  /** The view that the server offers. A form and a profile that are chosen replace its own. */
  readonly view?: OfferedView | undefined;
  /** Whether callers see actions for which they lack a scope. Default: `challenge`. */
  readonly scopes?: 'challenge' | 'hide' | undefined;
}
