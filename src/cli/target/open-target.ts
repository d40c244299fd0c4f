import type { CallToolResult } from '../../index.js';
import type { McpPrompt, McpResource, McpResourceTemplate } from '../../model.js';
import type { Protocol } from './connect-server.js';
import { CommandError } from '../terminal/exit-codes.js';
import type { ListedTool } from './listed-tool.js';
import { openModule } from './open-module.js';
import { openServer } from './open-server.js';
import { withNotice } from '../terminal/output.js';
import { Patience, untilAborted } from '../terminal/deadline.js';
import type { Target } from './read-target.js';

export type Form = 'grouped' | 'flat' | 'search';

/** What of a server is looked at. */
export interface Selection {
  readonly form?: Form | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

export interface OpenOptions extends Selection {
  readonly protocol: Protocol;
  /** Milliseconds that connecting and each list may take, and a call without a sign of life. */
  readonly timeoutMs: number;
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
  readonly onStderr: (text: string) => void;
}

export interface ListedToolset {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tools: readonly string[];
}

/** What a form costs, or why there is no such form. */
export type FormCost =
  | { readonly form: Form; readonly tools: number; readonly tokens: number }
  | { readonly form: Form; readonly problem: string };

export interface ToolRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LogMessage {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string | undefined;
}

/** Puts a question to the person, and gives the answer as MCP has it. */
export type AskPerson = (question: Readonly<Record<string, unknown>>) => Promise<{
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}>;

/** What happens while a call runs. */
export interface CallHooks {
  readonly signal: AbortSignal;
  /** What the caller may do, where the call stays in this process. */
  readonly scopes: readonly string[];
  readonly onProgress: (progress: Progress) => void;
  readonly onLog: (message: LogMessage) => void;
  readonly ask: AskPerson;
}

/** A server that can be looked at and called, wherever it is. */
export interface OpenTarget {
  readonly kind: 'module' | 'http' | 'stdio';
  readonly server: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly protocol?: string | undefined;
    readonly instructions?: string | undefined;
  };
  /** Which exports of a module were taken. */
  readonly found?: string;
  readonly form?: Form | undefined;
  readonly tools: readonly ListedTool[];
  readonly toolsets: readonly ListedToolset[];
  listOthers(): Promise<{
    readonly prompts: readonly McpPrompt[];
    readonly resources: readonly McpResource[];
    readonly templates: readonly McpResourceTemplate[];
  }>;
  /** What each form costs, of a module. */
  costs(): Promise<readonly FormCost[]>;
  /** Throws where the server does not answer with a result. */
  call(request: ToolRequest, hooks: CallHooks): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Opens a file, an address or a command. What it gives must be closed. */
export function openTarget(target: Target, options: OpenOptions): Promise<OpenTarget> {
  if (!('file' in target)) return openServer(target, options);
  return withNotice(`loading ${target.file}`, loadWithin(target.file, options));
}

/** A file may wait for ever while it is loaded, or for something that is not there. */
async function loadWithin(file: string, options: OpenOptions): Promise<OpenTarget> {
  const { signal, timeoutMs } = options;
  const patience = new Patience(timeoutMs);
  try {
    const either = AbortSignal.any([signal, patience.signal]);
    return await untilAborted(openModule(file, { ...options, signal: either }), either);
  } catch (error) {
    if (!patience.signal.aborted || signal.aborted) throw error;
    throw new CommandError(
      `${file} was not loaded within ${timeoutMs / 1_000} s. --timeout gives it longer.`,
    );
  } finally {
    patience.end();
  }
}
