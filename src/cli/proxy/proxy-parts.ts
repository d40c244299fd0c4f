import type { Observe } from '../../engine/services.js';
import type { ToolRegistry } from '../../index.js';
import { searchToolNames } from '../../search/form/search-form.js';
import type { Form } from '../../analysis/target/opened-target.js';
import type { Notices } from './notices.js';
import type { ProxiedServer } from './proxied-server.js';
import type { ProxySettings } from './read-settings.js';

/** The registry and the servers of a proxy. */
export interface Proxy {
  readonly registry: ToolRegistry;
  readonly servers: readonly ProxiedServer[];
  /** The values of a caller's session that servers use. */
  readonly sessionKeys: readonly string[];
  /** The address of a tool in the search form, by its name on the command line. */
  readonly addressOf: (name: string) => string | undefined;
  /** Names what is served, in the message that the proxy is ready. */
  readonly title: string;
}

export interface ProxyParts {
  readonly settings: ProxySettings;
  readonly notices: Notices;
  readonly signal: AbortSignal;
  /** Observes all calls. */
  readonly observe: Observe | undefined;
  /** Must be called with every server that is created, so that it is closed. */
  readonly own: (server: ProxiedServer) => void;
}

/** Whether a name is a tool of the search form, which the code form lists only if it is pinned. */
export function isOwnTool(name: string, form: Form): boolean {
  return form === 'code' && searchToolNames.has(name);
}
