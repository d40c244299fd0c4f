// These types are apart from the code of `fromMcpServer`, because the declarations of the code need `@modelcontextprotocol/client`, which a
// server without upstream servers does not install.
import type { ContextValues } from 'toolfold/web';
import type { AnyRegistrable, AnyToolDefinition } from 'toolfold/internal';
import type { CompilableTool } from 'toolfold';
import type { JsonSchemaObject } from '@toolfold/schema';

/** How a server describes itself. Nothing verifies these texts. */
export interface UpstreamServer {
  /** The server's own name. */
  readonly name: string | undefined;
  /** The server's own version. */
  readonly version: string | undefined;
  /** Instructions of the server for its clients. */
  readonly instructions: string | undefined;
}

/** A tool definition that a registry accepts unchanged. */
export type UpstreamToolDefinition = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: JsonSchemaObject;
};

/** Whether a server answers. Times are milliseconds since 1970, as `Date.now()` returns them. */
export interface UpstreamHealth {
  /** `unknown` before the first connection; `down` after several failed checks or attempts to connect. */
  readonly state: 'unknown' | 'up' | 'down';
  /** When the server entered this state. */
  readonly since: number;
  /** Counts failed checks and attempts to connect in a row. */
  readonly failures: number;
  /** The reason of the last failure. It is for the operator, because it may name addresses. */
  readonly reason?: string;
  /** The time until which the circuit breaker is open: calls fail at once, and no attempt to connect is made. */
  readonly retryAt?: number;
}

/** Configures how `follow` registers the items of a server. */
export interface FollowOptions {
  /**
   * Called with the tools of each list. Returns the tools to register: changed, fewer or more. If it returns `undefined`, nothing of
   * the server is registered, not even its prompts and resources. Default: all, unchanged.
   */
  readonly tools?: (
    tools: readonly UpstreamToolDefinition[],
  ) => readonly (CompilableTool | AnyRegistrable)[] | undefined;
  /** Whether prompts are registered. Default: true. */
  readonly prompts?: boolean;
  /** Whether resources and resource templates are registered. Default: true. */
  readonly resources?: boolean;
  /**
   * Called with each list of prompts, resources and templates as the server sent it. Returns the entries to register. Default: all.
   *
   * @internal
   */
  readonly review?: (
    kind: 'prompts' | 'resources' | 'templates',
    listed: readonly unknown[],
  ) => readonly unknown[];
  /** The context with which the lists are read. Calls have the context of their caller. Default: `{}`. */
  readonly context?: ContextValues;
  /**
   * Whether `follow` rejects if the server cannot be reached, or answers with an error. With false it resolves after the first
   * attempt, and continues to try. Default: true.
   */
  readonly wait?: boolean;
}
