import type { LoadedModule } from '../analysis/target/loaded-module.js';
import type { CallListener } from '../engine/trace/call-listeners.js';
import type { McpTool } from '../model.js';

/** The tools of a server, or of a saved list, as they are listed there. */
export interface UpstreamList {
  readonly kind: 'http' | 'stdio' | 'saved';
  /** By the names that the tools have in the registry. */
  readonly tools: ReadonlyMap<string, McpTool>;
  /** The reasons why items cannot be shown, by their names. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Why no item of the server can be shown, although it answers. */
  readonly problem?: string | undefined;
}

/** The server that the page shows. `toolfold dev` replaces what is behind it while the page is open. */
export interface PageSource {
  /** The target of the page: a file, a URL, a command, or the name of the registry. */
  readonly target: string;
  /** The words of a command line that name the target. Missing for a registry, whose file is unknown. */
  readonly words?: readonly string[] | undefined;
  /** Whether tools can be called. A saved list of tools has no server behind it. */
  readonly canCall: boolean;
  /** Whether calls are forwarded to another server, which gets other messages than the page sends. */
  readonly isForwarded?: boolean | undefined;
  /** The lockfile to compare with. It may not exist. */
  readonly lockfile: string;
  /** The command line that writes the lockfile. */
  readonly lockCommand: string;
  /** The configuration of the lint rules, if there is one. */
  readonly lintConfig?: string | undefined;
  /** Milliseconds for loading a toolset. Default: 10,000. */
  readonly loadingMs?: number | undefined;
  /** The tools as the server lists them, if the registry forwards its calls to a server or holds a saved list. */
  upstream?(): UpstreamList;
  /** Removes the credentials with which calls are forwarded, because the errors of the server may repeat them. */
  redact?(text: string): string;
  /** Why the page shows an old version, or nothing. `undefined` while everything is well. */
  problem?(): string | undefined;
  /** The registry as it is now, with its Exposure or toolsets. Each version has its own object, which stays the same. */
  current(): LoadedModule;
  /** Calls the listener after changes of the tools, prompts, resources or `problem`. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void;
  /** Calls the listener with every call of the server that has ended, also of other clients. Returns a function that ends it. */
  observe(listener: CallListener): () => void;
}
