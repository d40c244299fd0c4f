import type { JSValueHandle, QuickJS, QuickJSOptions } from 'quickjs-wasi';
import { prepareCode } from '../prepare-code.js';
import { defaultCodeLimits } from '../sandbox.js';
import type { CodeLimits, GuestCall, RunOutcome, SandboxRun, SandboxStep, SettledCall } from '../sandbox.js';
import { CpuClock } from './cpu-clock.js';
import { instanceOptions, runJobs } from './engine.js';
import type { Engine } from './engine.js';
import { failures, largeFailure } from './failures.js';
import { bridgeNames, preludeFor } from './guest-prelude.js';
import type { BridgeName } from './guest-prelude.js';
import { failureOf, toFailure } from './run-failure.js';
import type { GuestEnd } from './run-failure.js';
import { localize } from './localize.js';
import { readSnapshot, writeSnapshot } from './snapshot-format.js';
import { cutBytes, hasMoreBytes } from './utf8.js';

type Bridge = Readonly<Record<BridgeName, JSValueHandle>>;

const mapBridge = <T>(read: (name: BridgeName) => T): Readonly<Record<BridgeName, T>> =>
  Object.fromEntries(bridgeNames.map((name) => [name, read(name)])) as Record<BridgeName, T>;

/** What the prelude's `drain` returns. */
interface Drained {
  readonly calls: readonly GuestCall[];
  readonly logs: readonly string[];
  readonly hasLost: boolean;
  readonly waiting: number;
  readonly end: GuestEnd | null;
}

/** A snapshot finds the host's function again by this name. */
const LOCALIZE = 'localize';
interface Live {
  readonly vm: QuickJS;
  readonly bridge: Bridge;
}

const WARM_UP = `
  const { a } = await tools.a({ text: 'b' });
  console.log(a.map((n: number) => n + 1).join(), new Date(0), /b+/.test('b'), [...new Map([[1, 2]])], Object.entries({ a }));
  console.log((1).toLocaleString(), new Date(0).toLocaleString(), 'a'.localeCompare('b'));
  try { null.x } catch (error) { return { message: error.message } }`;

/** Runs code in its own instance of QuickJS, in the thread that calls it. */
export class QuickJsRun implements SandboxRun {
  readonly #engine: Engine;
  readonly #limits: CodeLimits;
  #clock: CpuClock;
  #live: Live | undefined;
  /** The code, until the first step. */
  #code: string | undefined;
  #logBytesLeft: number;
  #hasLostLogs = false;

  private constructor(engine: Engine, limits: CodeLimits, code?: string) {
    this.#engine = engine;
    this.#limits = limits;
    this.#clock = new CpuClock(limits.cpuMs, 0, engine.readCpuMs);
    this.#code = code;
    this.#logBytesLeft = limits.logBytes;
  }

  /** Uses each part once, so that the first run does not pay for V8 compiling the engine. */
  static async warmUp(engine: Engine): Promise<void> {
    const run = await QuickJsRun.start(engine, WARM_UP, { ...defaultCodeLimits, cpuMs: 10_000 });
    run.advanceNow([]);
    run.advanceNow([{ id: 1, value: '{"a":[1]}' }]);
    run.dispose();
  }

  static async start(engine: Engine, code: string, limits: CodeLimits): Promise<QuickJsRun> {
    const run = new QuickJsRun(engine, limits, code);
    const vm = await engine.quickjs.QuickJS.create(run.#optionsAfter(0));
    const createPrelude = vm.evalCode(preludeFor(limits), 'prelude.js');
    const host = vm.newFunction(LOCALIZE, run.#localizeIn(vm));
    const prelude = vm.callFunction(createPrelude, vm.undefined, host);
    createPrelude.dispose();
    host.dispose();
    run.#live = { vm, bridge: mapBridge((name) => prelude.getProp(name)) };
    prelude.dispose();
    return run;
  }

  /** Continues a run from a snapshot. Rejects if the snapshot comes from another version. */
  static async restore(engine: Engine, snapshot: Uint8Array, limits: CodeLimits): Promise<QuickJsRun> {
    const run = new QuickJsRun(engine, limits);
    const { vm, state } = await readSnapshot(engine, snapshot, limits, ({ cpuMs }) =>
      run.#optionsAfter(cpuMs),
    );
    vm.registerHostCallback(LOCALIZE, run.#localizeIn(vm));
    run.#live = { vm, bridge: mapBridge((name) => vm.importHandle(state.bridge[name])) };
    run.#logBytesLeft = state.logBytesLeft;
    run.#hasLostLogs = state.hasLostLogs;
    return run;
  }

  #optionsAfter(cpuMs: number): QuickJSOptions {
    this.#clock = new CpuClock(this.#limits.cpuMs, cpuMs, this.#engine.readCpuMs);
    return {
      ...instanceOptions(this.#engine, this.#limits, this.#clock),
      onUnhandledRejection: (promise, reason, isHandled) => {
        const { vm, bridge } = this.#live ?? {};
        if (vm && bridge)
          vm.callFunction(
            bridge.reject,
            vm.undefined,
            promise,
            reason,
            isHandled ? vm.true : vm.false,
          ).dispose();
      },
    };
  }

  /** Creates the only function of the host that the guest calls. */
  #localizeIn(vm: QuickJS): (...args: readonly JSValueHandle[]) => JSValueHandle {
    return (...args) => {
      const [type = '', method = '', text = '', choice = '', other = ''] = args.map(String);
      // QuickJS counts calls and not their time, so it interrupts such a loop late. The code could catch an error thrown here.
      const isOver = this.#clock.isOver;
      return vm.newString(
        isOver ? '!The code has used its time.' : localize(type, method, text, choice, other),
      );
    };
  }

  async advance(settled: readonly SettledCall[]): Promise<SandboxStep> {
    return this.advanceNow(settled);
  }

  /** Advances synchronously, for a thread that runs nothing else. */
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
      // The state of the instance may be invalid, so read nothing more from it.
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
      bridge: mapBridge((name) => vm.exportHandle(bridge[name])),
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

  /** Starts the code. Returns the failure if the code cannot be parsed. */
  #begin({ vm, bridge }: Live, code: string): RunOutcome | undefined {
    this.#code = undefined;
    const prepared = prepareCode(code);
    if ('failure' in prepared) return prepared;
    // The parser runs outside of the guest, and its first use takes long, while V8 compiles it.
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

  /** Lets the guest run until it waits or ends, and reads its calls, logs and outcome. */
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
