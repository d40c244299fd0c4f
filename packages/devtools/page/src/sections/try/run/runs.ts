import { signal } from '@preact/signals';
import type { ItemDetail, Listing, ShownProfile } from '../../../../../src/page-api.js';
import type { LiveCall } from '../../../../../src/page-events.js';
import { onEvent } from '../../../api/events.js';
import { server, tree } from '../../../api/stores.js';
import type { Call, Outcome } from '../../../mcp/call.js';
import type { Era } from '../../../mcp/endpoint.js';
import { startCall } from '../../../mcp/send-call.js';
import { perspective } from '../../../perspective.js';
import { announce, toast } from '../../../ui/toast.js';
import type { CopiedCall } from '../copy/copied-call.js';
import { paramHeaders } from '../copy/param-headers.js';
import { remember } from '../history/history.js';
import type { JsonObject } from '../form/json.js';
import { reportOf } from '../result/error-report.js';
import { toWireCall } from './wire-call.js';

/** A run of an action: one call, or one in each era. */
export interface Run {
  readonly id: number;
  readonly address: string;
  readonly input: JsonObject;
  readonly calls: readonly StartedCall[];
}

export interface StartedCall {
  readonly call: Call;
  readonly copied: CopiedCall;
}

export type EraChoice = Era | 'both';

/** Options for calls. Form, profile and caller belong to the perspective, because other sections use them too. */
export const options = signal<{
  readonly era: EraChoice;
  readonly asTask: boolean;
  readonly timeoutS: number;
}>({ era: '2026', asTask: false, timeoutS: 60 });

/** The last run of each address. */
export const runs = signal<ReadonlyMap<string, Run>>(new Map());

const MAX_RUNS = 30;
let lastId = 0;

type ListedItem = Extract<Listing, { readonly call: unknown }>;

export interface RunRequest {
  readonly item: ItemDetail;
  readonly listing: ListedItem;
  readonly input: JsonObject;
}

export function isRunning(run: Run | undefined): boolean {
  return run?.calls.some(({ call }) => call.outcome.value === undefined) === true;
}

/** Returns whether an action is still running, and notifies the user, because it cannot run twice at once. */
export function refuseSecondRun(address: string): boolean {
  if (!isRunning(runs.peek().get(address))) return false;
  toast(`${address} is still running. Cancel that call first, or wait for its result.`);
  return true;
}

/** Runs an action in the chosen eras, unless it still runs. */
export function startRun({ item, listing, input }: RunRequest): void {
  if (refuseSecondRun(item.address)) return;
  const { era, asTask, timeoutS } = options.value;
  const eras: readonly Era[] = era === 'both' ? ['2026', '2025'] : [era];
  const isTask = asTask || item.taskSupport === 'required';
  const calls = eras.map((each) => {
    const copied = copyOf({ address: item.address, listing, input, era: each, asTask: isTask });
    const call = startCall({
      endpoint: { form: copied.form, profile: copied.profile, era: each, caller: copied.caller },
      method: 'tools/call',
      params: copied.params,
      tool: listing.tool,
      asTask: isTask,
      timeoutMs: timeoutS * 1000,
      asker: item.address,
    });
    void follow(call, copied);
    return { call, copied };
  });
  const kept = [...runs.value].filter(([address]) => address !== item.address).slice(1 - MAX_RUNS);
  runs.value = new Map([...kept, [item.address, { id: ++lastId, address: item.address, input, calls }]]);
}

interface CopyRequest {
  readonly address: string;
  readonly listing: ListedItem;
  readonly input: JsonObject;
  readonly era: Era;
  readonly asTask: boolean;
}

/** Combines the form input with the chosen caller, form and profile into a call to copy or run. */
export function copyOf({ address, listing, input, era, asTask }: CopyRequest): CopiedCall {
  const info = server.value;
  const { form, profile } = chosenForm();
  const { caller } = perspective.value;
  const wire = toWireCall(listing.call, input);
  return {
    address,
    input,
    method: 'tools/call',
    // The form shows the schema of the author, which a profile may have rewritten for its clients.
    params: { ...wire, ...(profile === 'none' ? {} : { _meta: { 'toolfold/authoredArguments': true } }) },
    paramHeaders: paramHeaders(listing.tool.inputSchema, wire.arguments),
    form,
    profile,
    era,
    caller,
    needed: tree.value?.nodes.find((node) => node.address === address)?.scopes,
    asTask,
    origin: location.origin,
    words: info?.words,
  };
}

/** Returns the form and profile of the perspective. Default: those of the server. */
export function chosenForm(): { readonly form: CopiedCall['form']; readonly profile: ShownProfile } {
  const { form, profile } = perspective.value;
  const info = server.value;
  return { form: form ?? info?.form ?? 'grouped', profile: profile ?? info?.profile ?? 'none' };
}

/** Waits for the end of a call, and adds it to the history. */
async function follow(call: Call, copied: CopiedCall): Promise<void> {
  await call.ended;
  const outcome = call.outcome.peek();
  if (!outcome) return;
  const result = outcome.kind === 'result' ? outcome.result : undefined;
  const report = result && reportOf(result);
  const status = statusOf(outcome, report !== undefined);
  announce(`${copied.address}: ${statusNames[status]}`);
  remember({
    at: call.at,
    ms: call.ms.peek(),
    status,
    summary: report?.message ?? (outcome.kind === 'failure' ? outcome.message : ''),
    call: {
      ...copied,
      ...(result ? { result } : {}),
      ...(outcome.kind === 'failure' ? { failure: outcome.message } : {}),
      answers: call.answers,
    },
  });
}

function statusOf({ kind }: Outcome, isError: boolean): keyof typeof statusNames {
  if (kind === 'result') return isError ? 'error' : 'ok';
  return kind === 'failure' ? 'failed' : 'cancelled';
}

const statusNames = {
  ok: 'the call succeeded',
  error: 'the tool reported an error',
  failed: 'the call failed',
  cancelled: 'the call was cancelled',
} as const;

/** Calls from this page as measured by the server, by trace id. */
const seen = signal<ReadonlyMap<string, readonly LiveCall[]>>(new Map());
const MAX_SEEN = 200;

onEvent('calls', ({ calls }) => {
  const own = calls.filter(({ trace }) => trace !== undefined);
  if (own.length === 0) return;
  const next = new Map([...seen.value].slice(-MAX_SEEN));
  for (const call of own) {
    const rounds = [...(next.get(String(call.trace)) ?? []), call];
    next.set(
      String(call.trace),
      rounds.toSorted((one, other) => one.at - other.at || one.id - other.id),
    );
  }
  seen.value = next;
});

/** Returns the server's measurements of a call. A 2026 call with questions has several, in the order of its rounds. */
export function measuredCalls(trace: string): readonly LiveCall[] {
  return seen.value.get(trace) ?? [];
}
