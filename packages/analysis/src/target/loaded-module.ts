import type { ToolRegistry } from 'toolfold';
import type { DefinedServer } from 'toolfold/node';
import type { ToolsetConfig, Exposure, OfferedView, Toolsets } from 'toolfold/web';

export interface LoadedModule {
  readonly registry: ToolRegistry;
  /** The names of the exports that were used, for messages. */
  readonly found: string;
  readonly exposure?: Exposure | undefined;
  readonly toolsets?: Toolsets | undefined;
  readonly config?: ToolsetConfig | undefined;
  /** The view that the server offers. A form or profile that the user chooses overrides its own. */
  readonly view?: OfferedView | undefined;
  /** Whether callers see actions for which they lack a scope. Default: `challenge`. */
  readonly scopes?: 'challenge' | 'hide' | undefined;
  /** The server as its author described it. Its view, toolsets and scopes are those above. Missing for a mere registry. */
  readonly server?: DefinedServer | undefined;
}
