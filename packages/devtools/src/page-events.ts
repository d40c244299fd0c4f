import type { StepTime } from 'toolfold/internal';

/** A pipeline step and its duration in milliseconds. `docs/architecture.md` lists the steps. */
export type StepDuration = StepTime;

/** Lines of the author's code, without credentials. */
export interface CodeFrame {
  /** Path of the file. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of the first of the lines. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** An error in the author's code. */
export interface Fault {
  /** Stack without credentials. */
  readonly fault?: string | undefined;
  /** The code at the place where it happened. Missing if the file cannot be read. */
  readonly frame?: CodeFrame | undefined;
}

/** A finished call, as the page lists it. */
export interface LiveCall extends Fault {
  /** Sequence number since the start of the page's server. */
  readonly id: number;
  /** Arrival of the call, in milliseconds since 1970. */
  readonly at: number;
  /** Missing for calls of tools. */
  readonly kind?: 'prompt' | 'resource' | undefined;
  /** Address of the action, name of the prompt, or URI of the resource. For an unknown tool, the name that the client sent. */
  readonly address: string;
  /** Client id of the caller, or `anonymous`. */
  readonly caller: string;
  /** Name and version that the client sends, if any. */
  readonly client?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly ms: number;
  /** `ok`, `input_required`, `task`, or an error code. */
  readonly outcome: string;
  readonly isError: boolean;
  /** Error message without credentials. */
  readonly message?: string | undefined;
  /** Estimated tokens of the result. */
  readonly tokens: number;
  readonly steps: readonly StepDuration[];
  /** Arguments as JSON, without credentials, truncated after 2,000 characters. */
  readonly arguments?: string | undefined;
  /** `_meta['toolfold/trace']`, by which the page finds its own calls. */
  readonly trace?: string | undefined;
  /** Id of the code run that made the call, as in `_meta['toolfold/run']` of the result of `run_code`. */
  readonly run?: string | undefined;
}

/** Events of `/api/events`. `event` is also the name of the server-sent event. */
export type PageEvent =
  /** The tools, prompts or resources have changed. Each stream begins with this event. */
  | { readonly event: 'change'; readonly revision: number }
  /** A sample of the calls since the last `calls` event, sent about ten times a second. `seen` counts all calls. */
  | { readonly event: 'calls'; readonly seen: number; readonly calls: readonly LiveCall[] }
  /** Sent every second while calls arrive. Earlier `calls` events include all calls that it counts. */
  | { readonly event: 'statistics'; readonly statistics: LiveStatistics };

/** Statistics of all calls, including those that no `calls` event contains. */
export interface LiveStatistics {
  /** Start, in milliseconds since 1970. */
  readonly since: number;
  readonly calls: number;
  readonly errors: number;
  /** Number of calls in each of the last 60 seconds, the oldest first. */
  readonly perSecond: readonly number[];
  /** Quantiles per second, in milliseconds with an error of at most 5 %. `null` for a second without calls. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  /** The 200 tools with the most calls. */
  readonly tools: readonly {
    readonly address: string;
    readonly calls: number;
    readonly errors: number;
    /** In milliseconds, with an error of at most 5 %. */
    readonly p50: number;
    readonly p95: number;
    /** Estimated tokens of an average result. */
    readonly tokens: number;
  }[];
  /** Errors by code, address and message, the latest first, with the latest error in the author's code. At most 100. */
  readonly failures: readonly (Fault & {
    readonly code: string;
    readonly address: string;
    readonly message: string;
    readonly count: number;
    readonly first: number;
    readonly last: number;
  })[];
  /** Queries of the search form, the latest first. At most 100. */
  readonly questions: readonly {
    readonly query: string;
    readonly count: number;
    readonly last: number;
    readonly hits: readonly { readonly address: string; readonly confidence?: string | undefined }[];
    /** Whether the latest search found nothing. */
    readonly isMiss: boolean;
  }[];
}
