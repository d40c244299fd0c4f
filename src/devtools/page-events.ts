import type { StepTime } from '../engine/trace/call-trace.js';

/** A step of the pipeline that a call went through, and its duration in milliseconds. See `docs/architecture.md`. */
export type StepDuration = StepTime;

/** A call that the server answered. */
export interface LiveCall {
  /** Counts the calls since the page's server started. */
  readonly id: number;
  /** Milliseconds since 1970 when the call arrived. */
  readonly at: number;
  /** Set if the client used a prompt or a resource. Without it, the client called a tool. */
  readonly kind?: 'prompt' | 'resource' | undefined;
  /**
   * The address of the action, or the name that the client sent if there is no such tool. The name of a prompt, or the URI of a
   * resource.
   */
  readonly address: string;
  /** The client id of the caller, or `anonymous`. */
  readonly caller: string;
  /** Name and version of the client, if it sends them. */
  readonly client?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly ms: number;
  /** `ok`, `input_required`, `task`, or the code of an error. */
  readonly outcome: string;
  readonly isError: boolean;
  /** The message of an error, without credentials. */
  readonly message?: string | undefined;
  /** Estimated tokens of the result. */
  readonly tokens: number;
  readonly steps: readonly StepDuration[];
  /** The arguments as JSON, without credentials, cut after 2,000 characters. */
  readonly arguments?: string | undefined;
  /** The stack of an error in the author's code, without credentials. */
  readonly fault?: string | undefined;
  /** `_meta['toolfold/trace']` of a call of the page, by which it finds its own calls. */
  readonly trace?: string | undefined;
  /** The id of the run of code that made the call, as in `_meta['toolfold/run']` of the result of `run_code`. */
  readonly run?: string | undefined;
}

/** The events of `/api/events`. The name of the server-sent event is its `event`. */
export type PageEvent =
  /** The tools, prompts or resources have changed. The first event of a stream is the revision at that time. */
  | { readonly event: 'change'; readonly revision: number }
  /** Some of the calls since the last event of this kind, about ten times a second. `seen` counts all of them. */
  | { readonly event: 'calls'; readonly seen: number; readonly calls: readonly LiveCall[] }
  /** Sent once a second while calls arrive. All calls that it counts were in `calls` events before. */
  | { readonly event: 'statistics'; readonly statistics: LiveStatistics };

/** Statistics over all calls, including those that `calls` events leave out. */
export interface LiveStatistics {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly calls: number;
  readonly errors: number;
  /** Calls in each of the last 60 seconds, the oldest first. */
  readonly perSecond: readonly number[];
  /** Durations in each of these seconds, in milliseconds with an error of at most 5 %. `null` for a second without calls. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  /** The 200 tools with the most calls. */
  readonly tools: readonly {
    readonly address: string;
    readonly calls: number;
    readonly errors: number;
    /** Milliseconds, with an error of at most 5 %. */
    readonly p50: number;
    readonly p95: number;
    /** Estimated tokens of an average result. */
    readonly tokens: number;
  }[];
  /** Errors with the same code, address and message, the latest first. At most 100. */
  readonly failures: readonly {
    readonly code: string;
    readonly address: string;
    readonly message: string;
    readonly count: number;
    readonly first: number;
    readonly last: number;
    /** The stack of the last error in the author's code. */
    readonly fault?: string | undefined;
  }[];
  /** The questions of the search form, the latest first. At most 100. */
  readonly questions: readonly {
    readonly query: string;
    readonly count: number;
    readonly last: number;
    readonly hits: readonly { readonly address: string; readonly confidence?: string | undefined }[];
    /** Whether the last search found nothing. */
    readonly isMiss: boolean;
  }[];
}
