import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { LiveCall } from '../../../../src/page-events.js';
import type { ServerInfo } from '../../../../src/page-api.js';
import type { Call } from '../../mcp/call.js';
import type { Era } from '../../mcp/endpoint.js';
import { startCall } from '../../mcp/send-call.js';
import { perspective } from '../../perspective.js';
import { live } from '../live/store/feed.js';
import { readRun } from './read-run.js';
import type { RunCall, RunReport } from './read-run.js';

/** A run of code, from its start to its end. */
export interface CodeRun {
  readonly call: Call;
  readonly code: string;
  readonly isDryRun: boolean;
  /** Calls that the server has reported so far. */
  readonly calls: Signal<readonly LiveCall[]>;
}

/** Maximum number of calls kept. A run makes at most 200 by default. */
const MAX_CALLS = 1_000;
/** Long, because a run may take a minute by default and sends nothing while it computes. */
const TIMEOUT_MS = 300_000;
/** The server reports calls a moment after they ended. */
const LATE_MS = 2_000;

/** The latest run. Survives a change of section. */
export const latestRun = signal<CodeRun | undefined>(undefined);

export interface RunOptions {
  readonly code: string;
  readonly isDryRun: boolean;
  readonly era: Era;
  readonly server: ServerInfo;
}

/** Runs code as a client of the code form. */
export function startRun({ code, isDryRun, era, server }: RunOptions): CodeRun {
  const { caller, profile = server.profile } = perspective.peek();
  const call = startCall({
    endpoint: { form: 'code', profile, era, ...(caller ? { caller } : {}) },
    method: 'tools/call',
    params: { name: 'run_code', arguments: isDryRun ? { code, dryRun: true } : { code } },
    timeoutMs: TIMEOUT_MS,
    asker: 'The code',
  });
  const calls = signal<readonly LiveCall[]>([]);
  const stop = live.listen((each) => {
    if (each.trace !== call.trace || each.address === 'run_code' || calls.peek().length >= MAX_CALLS) return;
    calls.value = [...calls.peek(), each];
  });
  call.outcome.subscribe((outcome) => {
    if (outcome) setTimeout(stop, LATE_MS);
  });
  const run = { call, code, isDryRun, calls };
  latestRun.value = run;
  return run;
}

const reports = new WeakMap<object, RunReport>();

/** Parses the report of a run that has ended with a result. */
export function reportOf({ call }: CodeRun): RunReport | undefined {
  const outcome = call.outcome.value;
  if (outcome?.kind !== 'result') return undefined;
  const report = reports.get(outcome) ?? readRun(outcome.result);
  reports.set(outcome, report);
  return report;
}

/**
 * Returns the calls of the report, which is complete. Without a report, returns the calls that the server has reported
 * so far.
 */
export function callsOf({ calls }: CodeRun, report: RunReport | undefined): readonly RunCall[] {
  if (report && report.calls.length > 0) return report.calls;
  return calls.value.map((call, at) => ({
    id: String(at + 1),
    address: call.address,
    outcome: call.outcome,
    ms: call.ms,
    message: call.message,
    input: call.arguments,
  }));
}
