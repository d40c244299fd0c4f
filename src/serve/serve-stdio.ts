import { Server } from '@modelcontextprotocol/server';
import { serveStdio as serveSdk } from '@modelcontextprotocol/server/stdio';
import type { StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import type { ToolRegistry } from '../registry/tool-registry.js';
import type { ViewPolicy } from '../registry/view.js';

export interface ServeStdioOptions {
  /** What the caller sees; everything by default. */
  readonly view?: ViewPolicy;
  /** Told what went wrong and is not for clients. */
  readonly onError?: (error: unknown) => void;
}

/** Serves a registry to the process that started this one, over standard input and output. */
export function serveStdio(
  registry: ToolRegistry,
  { view, onError }: ServeStdioOptions = {},
): StdioServerHandle {
  return serveSdk(
    () => {
      const server = new Server({ name: registry.name, version: registry.version }, { capabilities: {} });
      registry.attachToServer(server, view ? { view } : {});
      return server;
    },
    onError ? { onerror: onError } : {},
  );
}
