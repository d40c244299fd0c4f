import type { LoadedModule } from '@toolfold/analysis/internal';
import type { CallListener } from 'toolfold/internal';
import type { McpTool } from 'toolfold/model';

/** The tools of another server or of a saved list, as they are listed there. */
export interface UpstreamList {
  readonly kind: 'http' | 'stdio' | 'saved';
  /** Tools by the names that they have in the registry. */
  readonly tools: ReadonlyMap<string, McpTool>;
  /** Why items cannot be shown, by name. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Why no item of the server can be shown although the server answers. */
  readonly problem?: string | undefined;
}

/** The server that the page shows. `toolfold dev` replaces its module while the page is open. */
export interface PageSource {
  /** A file, URL or command, or the name of the registry. */
  readonly target: string;
  /** Command-line words that name the target. Missing for a registry, whose file is unknown. */
  readonly words?: readonly string[] | undefined;
  /** False for a saved list of tools, which has no server. */
  readonly canCall: boolean;
  /** Whether calls are forwarded to another server, as new messages. */
  readonly isForwarded?: boolean | undefined;
  /** Path of the lockfile to compare with. The file may not exist. */
  readonly lockfile: string;
  /** Command line that writes the lockfile. */
  readonly lockCommand: string;
  /** Path of the lint configuration, if there is one. */
  readonly lintConfig?: string | undefined;
  /** Milliseconds for loading a toolset. Default: 10,000. */
  readonly loadingMs?: number | undefined;
  /** The tools as listed by the server or the saved list behind the registry. Missing if the registry is the author's own. */
  upstream?(): UpstreamList;
  /** Removes the credentials of forwarded calls, because errors of the server may contain them. */
  redact?(text: string): string;
  /** Why the page shows an old version or nothing. Returns `undefined` if all is well. */
  problem?(): string | undefined;
  /** The current registry with its Exposure or toolsets. Returns the same object until the version changes. */
  current(): LoadedModule;
  /** Subscribes to changes of the tools, prompts, resources and `problem`. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Subscribes to finished calls of all clients. Returns a function that unsubscribes. */
  observe(listener: CallListener): () => void;
}
