import {
  callerKey,
  digest,
  encode,
  IDEMPOTENCY_KEY,
  internalsOf,
  isKey,
  isNever,
  markAsWaiting,
  noKey,
  noteRun,
  randomId,
  requestOf,
} from 'toolfold/internal';
import type { CallToolResult, ExecuteRequest, OutputBudget, ToolContext } from 'toolfold';
import { ErrCancelled, ErrOverloaded, ErrValidationFailed, ToolfoldError } from 'toolfold/errors';
import { defaultCodeLimits } from '../sandbox/sandbox.js';
import type {
  CodeLimits,
  RunOutcome,
  Sandbox,
  SandboxRun,
  SandboxStart,
  SandboxStep,
  SettledCall,
} from '../sandbox/sandbox.js';
import { schemasOf } from '../declarations/declare-actions.js';
import type { CodeForm } from './code-tools.js';
import { createConfirmations } from './confirmations.js';
import type { Confirmations, ResumedRun } from './confirmations.js';
import type { PausedRun } from './paused-run.js';
import { RunCalls } from './run-calls.js';
import { WallClock } from './run-clock.js';
import { toFailedResult, toRunResult } from './run-report.js';
import type { ReportedFailure } from './run-report.js';
import { byteLength } from './run-values.js';

interface RunCodeInput {
  readonly code: string;
  readonly dryRun?: boolean | undefined;
}

/** Applies if the registry sets no budget. Some clients warn the person about larger results. */
const defaultBudget: OutputBudget = { tokens: 10_000 };

/** A run waits this long for capacity. The sandbox rejects runs at once if too many wait. */
const MAX_WAIT_MS = 60_000;

export function createCodeRunner(form: CodeForm): {
  readonly handler: (call: {
    readonly input: RunCodeInput;
    readonly context: ToolContext;
  }) => Promise<CallToolResult>;
  readonly outputBudget: OutputBudget;
} {
  return {
    handler: markAsWaiting(({ input, context }) => runCode(context, input, form)),
    outputBudget: internalsOf(form.registry).outputBudget ?? defaultBudget,
  };
}

/** Runs code whose calls pass the pipeline as calls of the same caller. Failures of the code are results. */
async function runCode(
  context: ToolContext,
  { code, dryRun = false }: RunCodeInput,
  form: CodeForm,
): Promise<CallToolResult> {
  const request: ExecuteRequest = { caller: context.caller, ...requestOf(context), name: 'run_code' };
  const limits = { ...defaultCodeLimits, ...form.sandbox.defaults, ...form.settings.limits };
  if (byteLength(code) > limits.codeBytes) {
    throw new ErrValidationFailed(`Validation failed: code: has more than ${limits.codeBytes} bytes.`, {
      hint: 'Let the code read its data with tools, or split it into several runs.',
    });
  }
  const runId = runIdOf(request);
  const confirmations = createConfirmations(form.registry, request, context.signal, (path) => {
    const entry = form.paths.find(path);
    return 'compiled' in entry ? schemasOf(entry).inputSchema : undefined;
  });
  const resumed = await confirmations.resume((path) => addressOf(form, path));
  const run = new CodeRun(
    { context, request, form, limits, code, isDryRun: dryRun, runId, confirmations },
    resumed,
  );
  try {
    return await run.perform();
  } catch (thrown) {
    noteRun(thrown, run.id);
    throw thrown;
  } finally {
    run.close();
    await resumed?.end(run.notes);
  }
}

function addressOf(form: CodeForm, path: string): string | undefined {
  const entry = form.paths.find(path);
  return 'compiled' in entry ? entry.compiled.address : undefined;
}

/** Derives the run id from the idempotency key, if the request has one. A retry then derives the same keys for its calls. */
function runIdOf(request: ExecuteRequest): string {
  const key: unknown = request.idempotencyKey ?? request.meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return randomId();
  if (!isKey(key)) throw noKey();
  return digest(encode(['run', callerKey(request.caller), key]));
}

interface CodeRunOptions {
  readonly context: ToolContext;
  readonly request: ExecuteRequest;
  readonly form: CodeForm;
  readonly limits: CodeLimits;
  readonly code: string;
  readonly isDryRun: boolean;
  readonly runId: string;
  readonly confirmations: Confirmations;
}

class WallExceeded extends Error {}

class NotContinued extends Error {}

/** Lets the code compute, runs its calls, and asks a person once the code waits for nothing else. */
class CodeRun {
  readonly #options: CodeRunOptions;
  readonly #resumed: ResumedRun | undefined;
  readonly #runId: string;
  readonly #calls: RunCalls;
  readonly #logs: string[];
  readonly #controller = new AbortController();
  /** Rejects when the caller cancels or the time is over. */
  readonly #stopped: Promise<never>;
  readonly #clock: WallClock;
  #stop: (reason: Error) => void = () => undefined;
  #guest: SandboxRun | undefined;
  #hasLostLogs: boolean;
  #cpuMs: number;
  #rounds: number;

  constructor(options: CodeRunOptions, resumed: ResumedRun | undefined) {
    const { context, form, limits, request, isDryRun, confirmations } = options;
    const { paused } = resumed ?? {};
    this.#options = options;
    this.#resumed = resumed;
    this.#runId = paused?.runId ?? options.runId;
    this.#logs = [...(paused?.logs ?? [])];
    this.#hasLostLogs = paused?.hasLostLogs ?? false;
    this.#cpuMs = paused?.cpuMs ?? 0;
    this.#rounds = paused?.rounds ?? 0;
    this.#stopped = new Promise<never>((_, reject) => {
      this.#stop = reject;
    });
    // If the run stops while nothing awaits this promise, its rejection must not count as unhandled.
    this.#stopped.catch(() => undefined);
    this.#clock = new WallClock(limits.wallMs, paused?.wallMs ?? 0, () =>
      this.#stop(this.#guest ? new WallExceeded() : noCapacity()),
    );
    const { signal } = context;
    // Many runs share the `never` signal, so listeners on it would pile up.
    if (!isNever(signal)) signal.addEventListener('abort', this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
    let ended = paused ? paused.notes.length - paused.waiting.length : 0;
    this.#calls = new RunCalls({
      form,
      limits,
      request,
      isDryRun,
      runId: this.#runId,
      rejection: confirmations.rejection,
      earlier: paused && { notes: paused.notes, keys: paused.keys },
      onEnd: ({ address, outcome }) => {
        // Calls that are cancelled at the end of the run may end after the answer, which no progress may follow.
        if (this.#controller.signal.aborted) return;
        resumed?.note(this.notes);
        // A client that cannot be reached must not fail the run.
        context.progress(++ended, undefined, `${address}: ${outcome}`).catch(() => undefined);
      },
    });
  }

  get id(): string {
    return this.#runId;
  }

  get notes(): PausedRun['notes'] {
    return this.#calls.notes;
  }

  readonly #cancel = (): void => this.#stop(new ErrCancelled());

  async perform(): Promise<CallToolResult> {
    try {
      return await this.#perform();
    } catch (thrown) {
      if (thrown instanceof NotContinued)
        return this.#toFailed({ kind: 'closed', name: 'Error', message: thrown.message });
      if (!(thrown instanceof WallExceeded)) throw thrown;
      const { wallMs } = this.#options.limits;
      return this.#toFailed({
        kind: 'wall',
        name: 'Timeout',
        message: `The run took longer than ${wallMs} ms.`,
      });
    }
  }

  async #perform(): Promise<CallToolResult> {
    let settled: readonly SettledCall[] = [];
    if (this.#resumed) {
      const { paused, snapshot, confirmed, release } = this.#resumed;
      await this.#reopen(snapshot).catch(async (thrown: unknown) => {
        // Without capacity nothing has run yet, so the client can send the answers again.
        await release();
        throw thrown;
      });
      this.#calls.confirm(paused.waiting, confirmed);
      settled = await this.#settle();
    } else {
      await this.#open((sandbox, start) => sandbox.start(this.#options.code, start));
    }
    for (;;) {
      const step = await this.#orStop((this.#guest as SandboxRun).advance(settled));
      this.#take(step);
      if (step.outcome) return await this.#finish(step.outcome);
      if (!this.#calls.isPending) return this.#toFailed(stuck);
      settled = await this.#settle();
    }
  }

  /** Waits until a call has ended, and asks the person once the code waits for nothing else. */
  async #settle(): Promise<readonly SettledCall[]> {
    for (;;) {
      if (this.#calls.isWaitingForPerson) await this.#ask();
      const settled = await this.#orStop(this.#calls.next());
      if (settled.length > 0) return settled;
    }
  }

  close(): void {
    this.#options.context.signal.removeEventListener('abort', this.#cancel);
    this.#clock.stop();
    this.#guest?.dispose();
    this.#calls.close();
    this.#controller.abort();
  }

  /** Opens the guest. If the run ends while it waits for capacity, a guest that opens later is ended at once. */
  async #open(open: (sandbox: Sandbox, start: SandboxStart) => Promise<SandboxRun>): Promise<void> {
    const { form, limits, request } = this.#options;
    const used = this.#clock.usedMs;
    // Waiting for capacity is limited too, but does not count as time of the run.
    this.#clock.restart(0, MAX_WAIT_MS);
    const owner = encode([internalsOf(form.registry).tenantOf(request), callerKey(request.caller)]);
    const client = request.caller?.sessionId ?? request.caller?.client?.name;
    const opening = open(form.sandbox, { limits, owner, client, signal: this.#controller.signal });
    try {
      this.#guest = await this.#orStop(opening);
    } catch (thrown) {
      opening.then(
        (late) => late.dispose(),
        () => undefined,
      );
      throw thrown;
    }
    this.#clock.restart(used);
  }

  /** Opens a saved guest. If that fails, the result lists the calls made, so that the model does not repeat them. */
  async #reopen(snapshot: Uint8Array): Promise<void> {
    try {
      await this.#open((sandbox, start) => restore(sandbox, snapshot, start));
    } catch (thrown) {
      if (!(thrown instanceof ToolfoldError) || this.#options.context.signal.aborted) throw thrown;
      throw new NotContinued(`The code could not continue after the question. ${thrown.message}`);
    }
  }

  #orStop<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stopped]);
  }

  #take({ calls, logs, hasLostLogs, cpuMs }: SandboxStep): void {
    this.#logs.push(...logs);
    this.#hasLostLogs ||= hasLostLogs;
    this.#cpuMs = cpuMs;
    for (const call of calls) this.#calls.add(call);
  }

  /** Asks the person about all calls that need a confirmation. The guest holds no thread meanwhile. */
  async #ask(): Promise<void> {
    const { waiting } = this.#calls;
    const guest = this.#guest as SandboxRun;
    const snapshot = await this.#orStop(this.#snapshot(guest));
    this.#clock.stop();
    if (snapshot) {
      guest.dispose();
      this.#guest = undefined;
    }
    const paused: PausedRun = {
      runId: this.#runId,
      snapshot,
      waiting,
      notes: this.notes,
      keys: this.#calls.keys,
      logs: this.#logs,
      hasLostLogs: this.#hasLostLogs,
      cpuMs: this.#cpuMs,
      wallMs: this.#clock.usedMs,
      rounds: ++this.#rounds,
    };
    const confirmed = await this.#orStop(this.#options.confirmations.confirm(paused));
    if (snapshot) await this.#reopen(snapshot);
    else this.#clock.restart(this.#clock.usedMs);
    this.#calls.confirm(waiting, confirmed);
  }

  /** Returns no snapshot if the sandbox could not continue from it. */
  async #snapshot(guest: SandboxRun): Promise<Uint8Array | undefined> {
    return this.#options.form.sandbox.restore ? guest.snapshot?.() : undefined;
  }

  async #finish(outcome: RunOutcome): Promise<CallToolResult> {
    this.#guest?.dispose();
    if ('value' in outcome && !this.#calls.isPending) {
      const { form, isDryRun } = this.#options;
      return toRunResult(outcome.value, this.#record(), isDryRun, (value) =>
        internalsOf(form.registry).format(value),
      );
    }
    await this.#orStop(this.#calls.finish()).catch((thrown: unknown) => {
      // The answer reports the failure of the code. Calls that exceed the time limit are reported there as unfinished.
      if (!(thrown instanceof WallExceeded)) throw thrown;
    });
    return this.#toFailed('failure' in outcome ? outcome.failure : endedEarly);
  }

  #toFailed(failure: ReportedFailure): CallToolResult {
    return toFailedResult(failure, this.#options.code, this.#record());
  }

  #record(): Parameters<typeof toFailedResult>[2] {
    return { runId: this.#runId, notes: this.notes, logs: this.#logs, hasLostLogs: this.#hasLostLogs };
  }
}

const endedEarly: ReportedFailure = {
  kind: 'closed',
  name: 'Error',
  message: 'The sandbox ended the code while calls were pending.',
};

const stuck: ReportedFailure = {
  kind: 'stuck',
  name: 'Error',
  message: 'The code waits for a promise that nothing settles.',
};

/** Another process of the server may have a sandbox that cannot restore. */
function restore(sandbox: Sandbox, snapshot: Uint8Array, start: SandboxStart): Promise<SandboxRun> {
  if (sandbox.restore) return sandbox.restore(snapshot, start);
  throw new ErrOverloaded('The sandbox of this server cannot continue a paused run.', {
    hint: 'Start the code again. Check first what its calls have changed.',
  });
}

function noCapacity(): ErrOverloaded {
  return new ErrOverloaded('The server runs too much code at once.', { hint: 'Try again in a moment.' });
}
