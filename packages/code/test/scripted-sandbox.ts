import type {
  GuestCall,
  GuestError,
  RunFailure,
  Sandbox,
  SandboxRun,
  SandboxStart,
  SandboxStep,
  SettledCall,
} from '@toolfold/code';

/** The globals of a scripted guest. */
export interface Guest {
  /** Starts a call. Rejects with the `GuestError` of a failed call. */
  call(path: string, input?: unknown): Promise<unknown>;
  log(line: string): void;
}

/** A guest as a function of the test. Its name or its code selects it. */
export type Script = (guest: Guest) => unknown;

/** Thrown by a script to end its run with a failure of the sandbox. */
export class ScriptFailure extends Error {
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A sandbox for tests: the code of a run is the key of a script, which runs in the process of the test. */
export function createScriptedSandbox(scripts: Readonly<Record<string, Script>>): ScriptedSandbox {
  return new ScriptedSandbox(scripts);
}

export class ScriptedSandbox implements Sandbox {
  readonly starts: SandboxStart[] = [];
  open = 0;
  readonly #scripts: Readonly<Record<string, Script>>;

  constructor(scripts: Readonly<Record<string, Script>>) {
    this.#scripts = scripts;
  }

  async start(code: string, start: SandboxStart): Promise<SandboxRun> {
    const script = this.#scripts[code];
    if (!script) throw new Error(`There is no script "${code}".`);
    this.starts.push(start);
    this.open++;
    return new ScriptedRun(script, () => this.open--);
  }

  async close(): Promise<void> {}
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class ScriptedRun implements SandboxRun {
  readonly #script: Script;
  readonly #onEnd: () => void;
  readonly #pending = new Map<number, Pending>();
  #calls: GuestCall[] = [];
  #logs: string[] = [];
  #outcome: SandboxStep['outcome'];
  #lastId = 0;
  #hasStarted = false;
  #isOver = false;
  #close: ((step: SandboxStep) => void) | undefined;

  constructor(script: Script, onEnd: () => void) {
    this.#script = script;
    this.#onEnd = onEnd;
  }

  async advance(settled: readonly SettledCall[]): Promise<SandboxStep> {
    const closed = new Promise<SandboxStep>((resolve) => {
      this.#close = resolve;
    });
    if (this.#isOver) this.dispose();
    return Promise.race([closed, this.#advance(settled)]);
  }

  async #advance(settled: readonly SettledCall[]): Promise<SandboxStep> {
    if (!this.#hasStarted) this.#begin();
    for (const end of settled) {
      const pending = this.#pending.get(end.id);
      this.#pending.delete(end.id);
      if ('error' in end) pending?.reject(toError(end.error));
      else pending?.resolve(end.value === undefined ? undefined : JSON.parse(end.value));
    }
    // All promise reactions of the script have run when the next macrotask begins.
    await new Promise((resolve) => setImmediate(resolve));
    const step = {
      calls: this.#calls,
      logs: this.#logs,
      hasLostLogs: false,
      cpuMs: 1,
      // The work that the script did not await must end first.
      outcome: this.#pending.size === 0 || hasFailed(this.#outcome) ? this.#outcome : undefined,
    };
    this.#calls = [];
    this.#logs = [];
    return step;
  }

  #begin(): void {
    this.#hasStarted = true;
    const guest: Guest = {
      call: (path, input) =>
        new Promise((resolve, reject) => {
          const id = ++this.#lastId;
          this.#pending.set(id, { resolve, reject });
          this.#calls.push({ id, path, input: input === undefined ? undefined : JSON.stringify(input) });
        }),
      log: (line) => void this.#logs.push(line),
    };
    void (async () => this.#script(guest))().then(
      (value) => {
        this.#outcome = { value: value === undefined ? undefined : JSON.stringify(value) };
      },
      (error: unknown) => {
        this.#outcome = { failure: toFailure(error) };
      },
    );
  }

  dispose(): void {
    if (!this.#isOver) this.#onEnd();
    this.#isOver = true;
    const failure: RunFailure = { kind: 'closed', name: 'Error', message: 'The run was closed.' };
    this.#close?.({ calls: [], logs: [], hasLostLogs: false, cpuMs: 1, outcome: { failure } });
  }
}

function hasFailed(outcome: SandboxStep['outcome']): boolean {
  return outcome !== undefined && 'failure' in outcome;
}

function toError({ message, ...rest }: GuestError): Error {
  return Object.assign(new Error(message), rest);
}

function toFailure(error: unknown): RunFailure {
  if (error instanceof ScriptFailure) return error.failure;
  const { name, message, code } = error as Error & { code?: string };
  return { kind: 'thrown', name, message, line: 1, column: 1, ...(code === undefined ? {} : { code }) };
}
