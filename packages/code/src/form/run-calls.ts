import type { AskClient, ExecuteRequest } from 'toolfold';
import type { WireQuestions } from 'toolfold/internal';
import { ErrCallNotAllowed, ToolfoldError } from 'toolfold/errors';
import type { SearchEntry } from '@toolfold/search/internal';
import { nextTurn } from '@toolfold/search/internal';
import { digest, encode } from 'toolfold/internal';
import { clip } from '@toolfold/schema/internal';
import type { CodeLimits, GuestCall, GuestError, SettledCall } from '../sandbox/sandbox.js';
import type { CodeForm } from './code-tools.js';
import { declined } from './confirmations.js';
import type { Confirmed } from './confirmations.js';
import type { Answers, CallNote, WaitingCall } from './paused-run.js';
import { readInput, toCallEnd, toGuestError, unreadableResult } from './run-values.js';
import type { CallEnd } from './run-values.js';

type Arguments = Readonly<Record<string, unknown>>;

interface ReadyCall {
  readonly call: GuestCall;
  readonly entry: SearchEntry;
  readonly input: Arguments;
  readonly answers: readonly Answers[];
  key: string | undefined;
  /** The questions of the action, while no one has answered them. */
  questions?: WireQuestions | undefined;
}

interface RunCallsOptions {
  readonly form: CodeForm;
  readonly limits: CodeLimits;
  readonly runId: string;
  /** The request of `run_code`. Its calls have the same caller. */
  readonly request: ExecuteRequest;
  readonly isDryRun: boolean;
  /** The error of calls that need a confirmation, if no person can be asked. */
  readonly rejection: GuestError | undefined;
  /** Notes and keys from before the run was paused, so that reports and idempotency keys continue from there. */
  readonly earlier?: { readonly notes: readonly CallNote[]; readonly keys: Keys } | undefined;
  readonly onEnd: (note: CallNote) => void;
}

type Keys = Readonly<Record<string, number>>;

const MAX_PLANNED = 2_000;
const MAX_NOTED_MESSAGE = 200;

/** Manages the calls of one run: decides which may run, limits concurrency, and collects their results. */
export class RunCalls {
  readonly #options: RunCallsOptions;
  readonly #notes: Map<number, CallNote>;
  readonly #keys: Map<string, number>;
  readonly #queue: ReadyCall[] = [];
  readonly #waiting = new Map<number, ReadyCall>();
  #settled: SettledCall[] = [];
  /** Each call has its own signal, because handlers may leave listeners on it. */
  readonly #running = new Set<AbortController>();
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: RunCallsOptions) {
    this.#options = options;
    const { notes = [], keys = {} } = options.earlier ?? {};
    this.#notes = new Map(notes.map((note) => [note.id, note]));
    this.#keys = new Map(Object.entries(keys));
  }

  /** All calls so far, in the order in which the code made them. */
  get notes(): readonly CallNote[] {
    return [...this.#notes.values()].toSorted((one, other) => one.id - other.id);
  }

  get keys(): Keys {
    return Object.fromEntries(this.#keys);
  }

  get waiting(): readonly WaitingCall[] {
    return Array.from(this.#waiting.values(), ({ call, entry: { compiled }, questions, answers, key }) => ({
      ...call,
      questions,
      answers,
      key,
      address: compiled.address,
      title: compiled.action.title,
      destructive: compiled.action.destructive,
    }));
  }

  /**
   * Starts a call, or queues it behind others or a person's answer. A call that is not allowed ends at once. `confirmed` is set for a call
   * that waited for a person.
   */
  add(call: GuestCall, confirmed?: Pick<ReadyCall, 'answers' | 'key'>): void {
    const { limits, form } = this.#options;
    if (call.id > limits.calls) {
      this.#reject(call, tooManyCalls(limits.calls));
      return;
    }
    const entry = form.paths.find(call.path);
    if (entry instanceof ToolfoldError) {
      this.#note(call, clip(call.path), 'waiting');
      this.#end(call, { error: toGuestError(entry) });
      return;
    }
    const { address } = entry.compiled;
    this.#note(call, address, 'waiting');
    const rule = this.#ruleFor(entry);
    const input = rule instanceof ToolfoldError ? rule : readInput(call, entry, limits.callBytes);
    if (input instanceof ToolfoldError) {
      this.#end(call, { error: toGuestError(input) });
      return;
    }
    const { answers = [], key } = confirmed ?? {};
    const ready = { call, entry, input, answers, key };
    if (rule === 'plan') this.#plan(ready);
    else if (rule === 'run' || confirmed) this.#enqueue(ready);
    else if (this.#options.rejection) this.#end(call, { error: this.#options.rejection });
    else this.#waiting.set(call.id, ready);
  }

  /** Whether the code waits for nothing but a person. */
  get isWaitingForPerson(): boolean {
    return this.#waiting.size > 0 && !this.#hasNext;
  }

  /** Whether a call waits, runs, or has ended without the code knowing. */
  get isPending(): boolean {
    return this.#waiting.size > 0 || this.#hasNext;
  }

  /** Whether a call is running, queued or ended, so that `next` resolves. */
  get #hasNext(): boolean {
    return this.#running.size > 0 || this.#queue.length > 0 || this.#settled.length > 0;
  }

  /** Waits until at least one call has ended or all wait for a person, and returns those that have ended since. */
  async next(): Promise<readonly SettledCall[]> {
    while (this.#settled.length === 0 && this.#hasNext) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** Runs the calls that a person allowed, and ends the others with an error that the code can catch. */
  confirm(waiting: readonly WaitingCall[], confirmed: Confirmed): void {
    this.#waiting.clear();
    for (const { id, path, input, answers = [], key } of waiting) {
      const call = { id, path, input };
      const decision = confirmed.get(id) ?? { error: declined('No person confirmed this call.') };
      if ('error' in decision) this.#end(call, decision);
      else this.add(call, { answers: [...answers, ...decision.answers], key });
    }
  }

  /** Waits for running calls after the code has failed. No others start. */
  async finish(): Promise<void> {
    for (const { call } of [...this.#queue.splice(0), ...this.#waiting.values()])
      this.#renote(call, 'not run');
    this.#waiting.clear();
    while (this.#running.size > 0) {
      this.#settled = [];
      await this.next();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort();
  }

  #ruleFor({ kind, compiled: { action, address } }: SearchEntry): 'run' | 'plan' | 'ask' | ErrCallNotAllowed {
    if (kind === 'read') return 'run';
    const { form, isDryRun } = this.#options;
    if (form.settings.allow !== 'write') {
      return new ErrCallNotAllowed(`"${address}" may change data, and code may only read here.`, {
        hint: 'Call it directly with call_write_tool.',
        details: { suggestions: ['call_write_tool'] },
      });
    }
    if (isDryRun) return 'plan';
    // An action with `confirm` asks itself, in the words of its author.
    return action.destructive === false || action.confirm !== undefined ? 'run' : 'ask';
  }

  #plan({ call, input }: ReadyCall): void {
    const note = this.#notes.get(call.id) as CallNote;
    this.#notes.set(call.id, { ...note, input: clip(JSON.stringify(input), MAX_PLANNED) });
    this.#end(call, { value: '{"dryRun":true}' }, 'planned');
  }

  #enqueue(ready: ReadyCall): void {
    this.#queue.push(ready);
    this.#startMore();
  }

  #startMore(): void {
    while (!this.#isClosed && this.#running.size < this.#options.limits.concurrentCalls) {
      const ready = this.#queue.shift();
      if (!ready) return;
      const controller = new AbortController();
      this.#running.add(controller);
      void this.#run(ready, controller);
    }
  }

  async #run(ready: ReadyCall, controller: AbortController): Promise<void> {
    const { call, entry } = ready;
    const { form, limits } = this.#options;
    const { address } = entry.compiled;
    const start = performance.now();
    this.#renote(call, 'unfinished');
    // Calls that succeed at once would otherwise run in one chain of microtasks and block all other requests.
    await nextTurn();
    let end: CallEnd;
    try {
      ready.questions = undefined;
      const result = await form.registry.executeTool(this.#toRequest(ready, controller.signal), form.inner);
      if (ready.questions && result.resultType === 'input_required') {
        this.#running.delete(controller);
        this.#renote(call, 'waiting');
        this.#waiting.set(call.id, ready);
        this.#wake?.();
        this.#startMore();
        return;
      }
      end = toCallEnd(result, address, limits.callBytes);
    } catch (thrown) {
      // Results are written as JSON here, which can fail for results that middleware made.
      end = { error: toGuestError(unreadableResult(address, thrown)) };
    }
    this.#running.delete(controller);
    this.#end(call, end, undefined, performance.now() - start);
    this.#startMore();
  }

  /** Builds the request of a call from that of `run_code`, without the parts that belong to the run itself. */
  #toRequest(ready: ReadyCall, signal: AbortSignal): ExecuteRequest {
    const { entry, input } = ready;
    const { request, runId } = this.#options;
    const { compiled, holder, name } = entry;
    const { discriminator } = holder;
    const { address, action, key } = compiled;
    const { emit, ...own } = request;
    const read = discriminator === undefined ? input : { ...input, [discriminator]: key };
    return {
      ...own,
      name,
      arguments: read,
      reading: { sent: input, read },
      run: runId,
      signal,
      lazySignal: undefined,
      idempotencyKey: action.idempotency ? (ready.key ??= this.#keyOf(address, input)) : undefined,
      minify: undefined,
      ask: request.ask && askerOf(ready),
      emit:
        emit &&
        ((event) => {
          if (event.kind === 'fault') emit({ ...event, isOfCode: true });
        }),
      // The run reports its own progress, and only the run may release the connection of its request.
      progress: undefined,
      release: undefined,
    };
  }

  /**
   * Returns the idempotency key of a call. It depends on the arguments and not on the number of the call, because concurrent calls may
   * start in another order when the whole run is retried. Equal calls of one run get different keys.
   */
  #keyOf(address: string, input: Arguments): string {
    const name = digest(encode([address, input]));
    const times = (this.#keys.get(name) ?? 0) + 1;
    this.#keys.set(name, times);
    return digest(encode(['call', this.#options.runId, name, times]));
  }

  #reject(call: GuestCall, error: ToolfoldError): void {
    // The limit on calls also bounds the notes, so further calls get no note.
    this.#settled.push({ id: call.id, error: toGuestError(error) });
    this.#wake?.();
  }

  #note({ id }: GuestCall, address: string, outcome: string): void {
    this.#notes.set(id, { id, address, outcome, ms: 0 });
  }

  #renote({ id }: GuestCall, outcome: string, ms = 0, message?: string): CallNote | undefined {
    const before = this.#notes.get(id);
    if (!before) return undefined;
    const note = { ...before, outcome, ms, ...(message === undefined ? {} : { message }) };
    this.#notes.set(id, note);
    return note;
  }

  #end(call: GuestCall, end: CallEnd, outcome?: string, ms = 0): void {
    const error = 'error' in end ? end.error : undefined;
    const message = error && clip(error.message, MAX_NOTED_MESSAGE);
    const note = this.#renote(call, outcome ?? error?.code ?? 'ok', Math.round(ms), message);
    this.#settled.push({ id: call.id, ...end });
    if (note) this.#options.onEnd(note);
    this.#wake?.();
  }
}

/** Ends the call with questions that have no answers yet. The run then waits, and the call begins again with the answers. */
function askerOf(ready: ReadyCall): AskClient {
  let round = 0;
  return async (questions) => {
    const answers = ready.answers[round++];
    if (!answers) ready.questions = questions;
    return answers;
  };
}

function tooManyCalls(limit: number): ErrCallNotAllowed {
  return new ErrCallNotAllowed(`The code has made ${limit} calls, which is the limit of a run.`, {
    hint: 'Return what you have, and continue in another run.',
  });
}
