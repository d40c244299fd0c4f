import type { Observe, ToolRegistry } from 'toolfold';
import type { Form } from '@toolfold/analysis/internal';
import { isSearchForm, pinnableTools } from 'toolfold/internal';
import type { Notices } from './notices.js';
import type { ProxiedServer } from './proxied-server.js';
import type { ProxySettings } from './read-settings.js';

export interface Proxy {
  readonly registry: ToolRegistry;
  readonly servers: readonly ProxiedServer[];
  readonly sessionKeys: readonly string[];
  /** Maps the name of a tool on the command line to its address in the search form. */
  readonly addressOf: (name: string) => string | undefined;
  readonly title: string;
}

export interface ProxyParts {
  readonly settings: ProxySettings;
  readonly notices: Notices;
  readonly signal: AbortSignal;
  readonly observe: Observe | undefined;
  /** Registers a created server, so that it is closed at the end. Call it for every server. */
  readonly own: (server: ProxiedServer) => void;
}

/** Whether the form itself has a tool of this name, which it lists only if it is pinned. */
export function isOwnTool(name: string, form: Form): boolean {
  return isSearchForm(form) && pinnableTools[form].includes(name);
}
