import type { JSValueHandle, QuickJS } from 'quickjs-wasi';
import { prepareCode } from '../prepare-code.js';
import { defaultCodeLimits } from '../sandbox.js';
import type { CodeLimits, GuestCall, RunOutcome, SandboxRun, SandboxStep, SettledCall } from '../sandbox.js';
import { CpuClock } from './cpu-clock.js';
import { instanceOptions, runJobs } from './engine.js';
import type { Engine } from './engine.js';
import { failures, largeFailure } from './failures.js';
import { preludeFor } from './guest-prelude.js';
import { failureOf, toFailure } from './run-failure.js';
import type { GuestEnd } from './run-failure.js';
import { readSnapshot, writeSnapshot } from './snapshot-format.js';
import { cutBytes, hasMoreBytes } from './utf8.js';

/** The functions of the prelude. */
interface Bridge {
  readonly watch: JSValueHandle;
  readonly settle: JSValueHandle;
  readonly drain: JSValueHandle;
}

/** The answer of `drain`. */
interface Drained {
  readonly calls: readonly GuestCall[];
  readonly logs: readonly string[];
  readonly hasLost: boolean;
  readonly waiting: number;
  readonly end: GuestEnd | null;
}

interface Live {
  readonly vm: QuickJS;
  readonly bridge: Bridge;
}

const WARM_UP = `
  const { a } = await tools.a({ text: 'b' });
  console.log(a.map((n: number) => n + 1).join(), new Date(0), /b+/.test('b'), [...new Map([[1, 2]])], Object.entries({ a }));
  try { null.x } catch (error) { return { message: error.message } }`;

/** A run in an own instance of QuickJS, in the thread that calls it. */
export class QuickJsRun implements SandboxRun {
  readonly #engine: Engine;
  readonly #limits: CodeLimits;
  readonly #clock: CpuClock;
  #live: Live | undefined;
  /** The code, until the first step. */
  #code: string | undefined;
  #logBytesLeft: number;
  #hasLostLogs = false;

  private constructor(engine: Engine, limits: CodeLimits, clock: CpuClock, live: Live, code?: string) {
    this.#engine = engine;
    this.#limits = limits;
    this.#clock = clock;
    this.#live = live;
    this.#code = code;
    this.#logBytesLeft = limits.logBytes;
  }

  /** Runs a little of everything, because the time in which V8 compiles the engine must not count as time of the first run. */
  static async warmUp(engine: Engine): Promise<void> {
    const run = await QuickJsRun.start(engine, WARM_UP, { ...defaultCodeLimits, cpuMs: 10_000 });
    run.advanceNow([]);
    run.advanceNow([{ id: 1, value: '{"a":[1]}' }]);
    run.dispose();
  }

  static async start(engine: Engine, code: string, limits: CodeLimits): Promise<QuickJsRun> {
    const clock = new CpuClock(limits.cpuMs, 0, engine.readCpuMs);
    const vm = await engine.quickjs.QuickJS.create(instanceOptions(engine, limits, clock));
    const prelude = vm.evalCode(preludeFor(limits), 'prelude.js');
    const bridge = {
      watch: prelude.getProp('watch'),
      settle: prelude.getProp('settle'),
      drain: prelude.getProp('drain'),
    };
    prelude.dispose();
    return new QuickJsRun(engine, limits, clock, { vm, bridge }, code);
  }

  /** Continues a run from a snapshot. Rejects if the snapshot comes from another version. */
  static async restore(engine: Engine, snapshot: Uint8Array, limits: CodeLimits): Promise<QuickJsRun> {
    let clock = new CpuClock(limits.cpuMs, 0, engine.readCpuMs);
    const { vm, state } = await readSnapshot(engine, snapshot, limits, ({ cpuMs }) => {
      clock = new CpuClock(limits.cpuMs, cpuMs, engine.readCpuMs);
      return instanceOptions(engine, limits, clock);
    });
    const [watch, settle, drain] = state.bridge;
    const bridge = {
      watch: vm.importHandle(watch),
      settle: vm.importHandle(settle),
      drain: vm.importHandle(drain),
    };
    const run = new QuickJsRun(engine, limits, clock, { vm, bridge });
    run.#logBytesLeft = state.logBytesLeft;
    run.#hasLostLogs = state.hasLostLogs;
    return run;
  }

  async advance(settled: readonly SettledCall[]): Promise<SandboxStep> {
    return this.advanceNow(settled);
  }

  /** As `advance`, for a thread that has nothing else to do. */
  advanceNow(settled: readonly SettledCall[]): SandboxStep {
    const live = this.#live;
    if (!live) return this.#step([], [], { failure: failures.closed });
    try {
      const failure = this.#code === undefined ? undefined : this.#begin(live, this.#code);
      if (failure) {
        this.dispose();
        return this.#step([], [], failure);
      }
      this.#clock.start();
      this.#settle(live, settled);
      return this.#collect(live);
    } catch (error) {
      // The instance may be in any state now, so nothing more is read from it.
      this.dispose();
      return this.#step([], [], { failure: failureOf(error, this.#limits) });
    } finally {
      this.#clock.stop();
    }
  }

  async snapshot(): Promise<Uint8Array> {
    const live = this.#live;
    if (!live || this.#code !== undefined)
      throw new Error('A run can be saved after its first step and before its last.');
    const { vm, bridge } = live;
    return writeSnapshot(this.#engine, vm, {
      bridge: [vm.exportHandle(bridge.watch), vm.exportHandle(bridge.settle), vm.exportHandle(bridge.drain)],
      cpuMs: this.#clock.usedMs,
      logBytesLeft: this.#logBytesLeft,
      hasLostLogs: this.#hasLostLogs,
    });
  }

  dispose(): void {
    this.#live?.vm.dispose();
    this.#live = undefined;
    this.#code = undefined;
  }

  /** Starts the code. Returns the failure if it cannot be parsed. */
  #begin({ vm, bridge }: Live, code: string): RunOutcome | undefined {
    this.#code = undefined;
    const prepared = prepareCode(code);
    if ('failure' in prepared) return prepared;
    // The parser runs outside of the guest, and takes long the first time, while V8 compiles it.
    this.#clock.start();
    const result = vm.evalCode(prepared.script, prepared.fileName);
    vm.callFunction(bridge.watch, vm.undefined, result).dispose();
    result.dispose();
    return undefined;
  }

  #settle({ vm, bridge }: Live, settled: readonly SettledCall[]): void {
    for (const end of settled) {
      const isError = 'error' in end;
      const text = isError ? JSON.stringify(end.error) : end.value;
      const id = vm.newNumber(end.id);
      const value = text === undefined ? vm.undefined : vm.newString(text);
      vm.callFunction(bridge.settle, vm.undefined, id, isError ? vm.true : vm.false, value).dispose();
      id.dispose();
      value.dispose();
    }
  }

  /** Lets the guest run until it waits or ends, and reads what it did. */
  #collect(live: Live): SandboxStep {
    const calls: GuestCall[] = [];
    const logs: string[] = [];
    for (;;) {
      runJobs(live.vm, this.#clock);
      const answer = live.vm.callFunction(live.bridge.drain, live.vm.undefined);
      const drained = JSON.parse(answer.toString()) as Drained;
      answer.dispose();
      this.#hasLostLogs ||= drained.hasLost;
      logs.push(...this.#fitLogs(drained.logs));
      const isLarge = ({ input }: GuestCall): boolean => hasMoreBytes(input ?? '', this.#limits.callBytes);
      const large = drained.calls.filter(isLarge);
      calls.push(...(large.length === 0 ? drained.calls : drained.calls.filter((call) => !isLarge(call))));
      if (drained.end || large.length === 0) {
        const outcome = drained.end ? this.#outcomeOf(drained.end) : undefined;
        if (outcome) this.dispose();
        else if (drained.waiting === 0) {
          this.dispose();
          return this.#step(calls, logs, { failure: failures.stuck });
        }
        return this.#step(calls, logs, outcome);
      }
      this.#settle(
        live,
        large.map((call) => this.#rejectLarge(call)),
      );
    }
  }

  #rejectLarge({ id, path }: GuestCall): SettledCall {
    const message = `The argument of tools.${path} exceeds the ${this.#limits.callBytes} bytes that a call can take.`;
    const name = 'ErrValidationFailed';
    return { id, error: { name, code: name, message, suggestions: ['Pass less data in one call.'] } };
  }

  #outcomeOf(end: GuestEnd): RunOutcome {
    if (end.kind === 'large') return { failure: largeFailure(this.#limits, end.size ?? 0) };
    if (end.kind !== 'value') return { failure: toFailure(end, this.#limits) };
    if (end.value !== undefined && hasMoreBytes(end.value, this.#limits.resultBytes))
      return { failure: largeFailure(this.#limits, new TextEncoder().encode(end.value).length) };
    return { value: end.value };
  }

  /** Cuts the lines to the bytes that the run may still log. */
  #fitLogs(lines: readonly string[]): string[] {
    const fitting: string[] = [];
    for (const line of lines) {
      const cut = cutBytes(line, this.#logBytesLeft);
      if (cut.text !== line) this.#hasLostLogs = true;
      if (cut.text === '' && line !== '') continue;
      this.#logBytesLeft -= cut.bytes;
      fitting.push(cut.text);
    }
    return fitting;
  }

  #step(calls: readonly GuestCall[], logs: readonly string[], outcome?: RunOutcome): SandboxStep {
    return {
      calls,
      logs,
      hasLostLogs: this.#hasLostLogs,
      cpuMs: this.#clock.usedMs,
      ...(outcome && { outcome }),
    };
  }
}
