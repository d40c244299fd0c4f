import { callerKey } from '../../callers/caller-key.js';
import type { ToolContext } from '../../define/tool-definition.js';
import { markAsWaiting } from '../../engine/call-limits.js';
import { isNever, requestOf } from '../../engine/request-context.js';
import type { ExecuteRequest } from '../../engine/request.js';
import { IDEMPOTENCY_KEY } from '../../engine/wrap-handler.js';
import {
  ErrCancelled,
  ErrInvalidOptions,
  ErrOverloaded,
  ErrValidationFailed,
  ToolfoldError,
} from '../../errors.js';
import type { OutputBudget } from '../../guards/budget/output-budget.js';
import { isKey, noKey } from '../../guards/idempotency/key.js';
import { noteRun } from '../../guards/log/request-log.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { randomId } from '../../runtime/random-id.js';
import { digest, encode } from '../../values/digest.js';
import { defaultCodeLimits } from '../sandbox/sandbox.js';
import type {
  CodeLimits,
  RunOutcome,
  Sandbox,
  SandboxRun,
  SandboxStart,
  SandboxStep,
} from '../sandbox/sandbox.js';
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

/** The size of results if the registry has no budget. Some clients warn the person above this size. */
const defaultBudget: OutputBudget = { tokens: 10_000 };

/** How long a run waits for capacity. The sandbox rejects runs at once if too many wait. */
const MAX_WAIT_MS = 60_000;

/** The parts of the definition of `run_code` that run the code. */
export function createCodeRunner(form: CodeForm): {
  readonly handler: (call: {
    readonly input: RunCodeInput;
    readonly context: ToolContext;
  }) => Promise<CallToolResult>;
  readonly outputBudget: OutputBudget;
} {
  return {
    handler: markAsWaiting(({ input, context }) => runCode(context, input, form)),
    outputBudget: form.registry.outputBudget ?? defaultBudget,
  };
}

/** Runs code whose calls go through the pipeline as calls of the same caller. Failures of the code are results. */
async function runCode(
  context: ToolContext,
  { code, dryRun = false }: RunCodeInput,
  form: CodeForm,
): Promise<CallToolResult> {
  const request: ExecuteRequest = { caller: context.caller, ...requestOf(context), name: 'run_code' };
  const limits = { ...defaultCodeLimits, ...sandboxOf(form).defaults, ...form.settings.limits };
  if (byteLength(code) > limits.codeBytes) {
    throw new ErrValidationFailed(`Validation failed: code: has more than ${limits.codeBytes} bytes.`, {
      hint: 'Let the code read its data with tools, or split it into several runs.',
    });
  }
  const runId = runIdOf(request);
  const confirmations = createConfirmations(form.registry, request, context.signal);
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

/** Returns the address that a path names now. */
function addressOf(form: CodeForm, path: string): string | undefined {
  const entry = form.paths.find(path);
  return 'compiled' in entry ? entry.compiled.address : undefined;
}

/** A retried request with an idempotency key has the same run id, from which the keys of its calls are derived. */
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

/** Thrown when a run takes longer than `wallMs`. */
class WallExceeded extends Error {}

/** A run cannot continue after a question. */
class NotContinued extends Error {}

/** One run of code: lets it compute, runs its calls, and asks a person if that is all it waits for. */
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
    // If the run stops while nothing waits for this promise, its rejection must not count as unhandled.
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
    let settled: Awaited<ReturnType<RunCalls['next']>> = [];
    if (this.#resumed) {
      const { paused, snapshot, confirmed, release } = this.#resumed;
      await this.#reopen(snapshot).catch(async (thrown: unknown) => {
        // Without capacity nothing has run yet, so the client can send the answers again.
        await release();
        throw thrown;
      });
      this.#calls.confirm(paused.waiting, confirmed);
      settled = await this.#orStop(this.#calls.next());
    } else {
      await this.#open((sandbox, start) => sandbox.start(this.#options.code, start));
    }
    for (;;) {
      const step = await this.#orStop((this.#guest as SandboxRun).advance(settled));
      this.#take(step);
      if (step.outcome) return await this.#finish(step.outcome);
      if (this.#calls.isWaitingForPerson) await this.#ask();
      if (!this.#calls.hasNext) return this.#toFailed(stuck);
      settled = await this.#orStop(this.#calls.next());
    }
  }

  /** Ends everything that belongs to the run. */
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
    const owner = encode([form.registry.tenantOf(request), callerKey(request.caller)]);
    const opening = open(sandboxOf(form), { limits, owner, signal: this.#controller.signal });
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

  /** Opens a saved guest. If that fails, the result lists the calls made, because the model could repeat them otherwise. */
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

  /** A snapshot is of use only if the sandbox can continue from it. */
  async #snapshot(guest: SandboxRun): Promise<Uint8Array | undefined> {
    return sandboxOf(this.#options.form).restore ? guest.snapshot?.() : undefined;
  }

  async #finish(outcome: RunOutcome): Promise<CallToolResult> {
    const hasFailed = 'failure' in outcome;
    // The guest is not needed for the calls that it did not await.
    this.#guest?.dispose();
    await this.#orStop(this.#calls.finish(hasFailed)).catch((thrown: unknown) => {
      // The outcome of the code is known, so calls that take too long only stay unfinished.
      if (!(thrown instanceof WallExceeded)) throw thrown;
    });
    if (hasFailed) return this.#toFailed(outcome.failure);
    const { form, isDryRun } = this.#options;
    return toRunResult(outcome.value, this.#record(), isDryRun, (value) => form.registry.format(value));
  }

  #toFailed(failure: ReportedFailure): CallToolResult {
    return toFailedResult(failure, this.#options.code, this.#record());
  }

  #record(): Parameters<typeof toFailedResult>[2] {
    return { runId: this.#runId, notes: this.notes, logs: this.#logs, hasLostLogs: this.#hasLostLogs };
  }
}

const stuck: ReportedFailure = {
  kind: 'stuck',
  name: 'Error',
  message: 'The code waits for a promise that nothing settles.',
};

function sandboxOf({ settings: { sandbox } }: CodeForm): Sandbox {
  if (sandbox) return sandbox;
  throw new ErrInvalidOptions('The code form has no sandbox.', {
    hint: 'Pass code: { sandbox } in the view of the server.',
  });
}

/** Continues a run. Another process of the server may have another sandbox. */
function restore(sandbox: Sandbox, snapshot: Uint8Array, start: SandboxStart): Promise<SandboxRun> {
  if (sandbox.restore) return sandbox.restore(snapshot, start);
  throw new ErrOverloaded('The sandbox of this server cannot continue a paused run.', {
    hint: 'Start the code again. Check first what its calls have changed.',
  });
}

function noCapacity(): ErrOverloaded {
  return new ErrOverloaded('The server runs too much code at once.', { hint: 'Try again in a moment.' });
}
