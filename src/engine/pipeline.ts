import type { ExecuteRequest } from './request.js';
import { isInputRequired } from '../protocol/input-required.js';
import { repairJson } from '../compile/json-repair.js';
import type { ToolCall } from '../define/tool-definition.js';
import type { Caller } from '../callers/caller.js';
import type { CompiledAction, CompiledTool } from '../compile/compiled-tool.js';
import { ErrInvalidResult, ErrNextCalledTwice, ToolfoldError } from '../errors.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { CallWatcher, SecuredCall } from './security-wrapper.js';
import { createAround } from './wrap-handler.js';
import { logFailure, toError } from './call-errors.js';
import { cancelled, createBounds } from './deadline.js';
import type { Bounds } from './deadline.js';
import type { Services } from './services.js';
import { find, missingScope, without } from './find-action.js';
import { runObserved } from './observe.js';
import type { CallRecord } from './observe.js';
import { resolveDefaults, takeMinifyHint } from './prepare-arguments.js';
import { nobody, redactorFor, secretsOf } from './request-context.js';
import { shapeOutput } from './shape-output.js';
import { createToolContext } from './tool-context.js';

/** What came with a call. */
type Arguments = Readonly<Record<string, unknown>>;

type Tools = ReadonlyMap<string, CompiledTool>;

/** Runs one call through all steps. It never rejects: whatever goes wrong is an answer. */
export function runPipeline(
  tools: Tools,
  services: Services,
  request: ExecuteRequest,
): Promise<CallToolResult> {
  const { observe } = services;
  if (!observe) return execute(tools, services, request);
  const record: CallRecord = {};
  return runObserved(observe, services, { request, record }, () => execute(tools, services, request, record));
}

async function execute(
  tools: Tools,
  services: Services,
  asked: ExecuteRequest,
  record?: CallRecord,
): Promise<CallToolResult> {
  let request = asked;
  let address: string | undefined;
  let run: Run | undefined;
  try {
    // 1 find: a call that stands for another is that one from here on
    const found = find(tools, asked);
    if (found instanceof ToolfoldError) return await answerFailure(found, services, request);
    const { action, input, call } = found;
    request = call;
    address = action.address;
    if (record) Object.assign(record, { tool: request.name, address, action: action.key });
    // 2 admit: scopes here, the rate limit in the guard
    const missing = missingScope(action, request.caller);
    if (missing) return await answerFailure(missing, services, request, address);
    const hinted = takeMinifyHint(input, action);
    const minify = request.minify ?? hinted?.minify;
    const admitted = new Run(services, request, action, hinted?.args ?? input, minify);
    run = admitted;
    // A closure less for the calls that are most of all.
    const isPlain = minify === undefined && services.ownFormatter?.isIdle === true;
    const value = await (isPlain
      ? admitted.start()
      : services.responseFormatter.runWithMinifyOverride(minify, () => admitted.start()));
    if (!admitted.isAdmitted) {
      if (value instanceof ToolfoldError)
        return await answerFailure(value, services, request, address, admitted);
      if (value === undefined)
        throw new ErrInvalidResult('The security wrapper neither ran the call nor answered it.');
    }
    if (admitted.result !== undefined && value === admitted.result) return admitted.finish(admitted.result);
    const result = isPlain
      ? admitted.shape(value)
      : services.responseFormatter.runWithMinifyOverride(minify, () => admitted.shape(value));
    // Waiting for what is there already would be a turn of the queue more.
    const answer = result instanceof Promise ? await result : result;
    if (!isPlain && !isResult(answer)) throw new ErrInvalidResult('The response formatter gave no result.');
    return admitted.finish(answer);
  } catch (thrown) {
    return await answerFailure(thrown, services, request, address, run);
  } finally {
    run?.end();
  }
}

/** The answer to a call that was refused, or that failed at `address`. */
function answerFailure(
  thrown: unknown,
  services: Services,
  request: ExecuteRequest,
  address?: string,
  run?: Run,
): CallToolResult | Promise<CallToolResult> {
  run?.fail(thrown);
  if (isInputRequired(thrown)) return { content: [], ...thrown.toResult() };
  if (!run || services.isForeignGuard) logFailure(thrown, services, request, { address, app: run?.app });
  return toError(thrown, services, request, {
    address,
    app: run?.app,
    isAdmitted: run?.isAdmitted,
    budget: run?.budget,
    fieldNames: run?.fieldNames,
  });
}

const none: readonly string[] = Object.freeze([]);

/** One call on its way, as the guard sees it. */
class Run implements SecuredCall {
  readonly address: string;
  readonly caller: Caller;
  readonly accessToken: string | undefined;
  readonly rawArguments: Arguments;
  readonly cost: number;
  /** Whether the guard has let it through: what fails from then on is not the guard's judgement. */
  isAdmitted = false;
  /** The answer, where it was made before it went through the guard. */
  result: CallToolResult | undefined;
  app: unknown;
  #watcher: CallWatcher | undefined;
  readonly #services: Services;
  readonly #request: ExecuteRequest;
  readonly #compiled: CompiledAction;
  readonly #minify: boolean | undefined;
  readonly #bounds: Bounds | undefined;
  /** The arguments as they were sent, without hints, and repaired once they are asked for. */
  #sent: Arguments;
  #repairs: readonly string[] = none;
  /** What runs for this call and may outlast it. */
  #works: Promise<unknown>[] | undefined;

  constructor(
    services: Services,
    request: ExecuteRequest,
    compiled: CompiledAction,
    given: Arguments,
    minify: boolean | undefined,
  ) {
    this.address = compiled.address;
    this.caller = request.caller ?? nobody;
    this.accessToken = request.accessToken;
    this.rawArguments = request.arguments ?? given;
    this.cost = compiled.action.cost ?? 1;
    this.#services = services;
    this.#request = request;
    this.#compiled = compiled;
    this.#minify = minify;
    this.#sent = given;
    const { timeoutMs: timeout } = compiled.action;
    // With a limit of time there is a controller anyway, and whoever gives up is heard.
    const signal = request.signal ?? (timeout === undefined ? undefined : request.lazySignal?.());
    this.#bounds = createBounds(timeout, signal);
  }

  get budget(): OutputBudget | undefined {
    return this.#compiled.action.outputBudget ?? this.#services.outputBudget;
  }

  get hasMore(): boolean {
    const { meta, sdk, session } = this.#request;
    return meta !== undefined || sdk !== undefined || session !== undefined;
  }

  get clientId(): string | undefined {
    return this.#request.clientId;
  }

  get fieldNames(): readonly string[] {
    return this.#compiled.schema.fieldNames;
  }

  get signal(): AbortSignal | undefined {
    return this.#bounds?.signal;
  }

  /** The guard asks for the arguments (3), validates them (4) and runs the action with what it got. */
  start(): unknown {
    const { operation, namespace = this.#services.namespace, schema } = this.#compiled;
    const bounds = this.#bounds;
    bounds?.arm();
    // 4 validate
    const secure = this.#services.withSecurityWrapper(namespace, operation, schema);
    const guarded = secure(this, (input) => this.#run(input));
    // From then on the run itself is given up, and the guard hears of it.
    const isSeenTo = (): boolean => this.isAdmitted;
    return bounds && isThenable(guarded) ? bounds.race(Promise.resolve(guarded), isSeenTo) : guarded;
  }

  /** 3 prepare */
  arguments(): Arguments | Promise<Arguments> {
    const plan = this.#compiled.repairable;
    if (plan) {
      const { input, repairs } = repairJson(this.#sent, plan);
      this.#sent = input;
      // Asked for a second time, there is nothing left to repair.
      if (repairs.length > 0) this.#repairs = repairs;
    }
    if (!this.#compiled.action.resolveDefaults) return this.#sent;
    const signal = this.#bounds?.signal ?? this.#request.lazySignal?.();
    return resolveDefaults(this.#sent, this.#compiled, this.#request, signal);
  }

  /** Everything that came with the call and may hold a credential. */
  secrets(): readonly unknown[] {
    return secretsOf(this.#request, this.app);
  }

  /** 5 run. Where the guard looks at no result, it is shaped after the guard: that is a promise less. */
  #run(input: Arguments): unknown {
    const { concurrency, contextFactory, isSilent } = this.#services;
    const bounds = this.#bounds;
    if (this.isAdmitted) {
      throw new ErrNextCalledTwice('A security wrapper ran the call twice.', {
        hint: 'Keep the result of the first run.',
      });
    }
    this.isAdmitted = true;
    // Whoever gave up meanwhile has been answered.
    if (bounds?.signal?.aborted) throw cancelled();
    if (!concurrency) bounds?.arm();
    this.#request.onAdmitted?.();
    const running = concurrency || contextFactory ? this.#runLater(input) : this.#invoke(input);
    const pending = isThenable(running) ? Promise.resolve(running) : undefined;
    const value = pending ? (bounds ? bounds.race(pending) : pending) : running;
    if (isSilent) return value;
    const finished =
      value instanceof Promise ? value.then((settled) => this.#finish(settled)) : this.#finish(value);
    // A guard of the author's own may forget to wait.
    if (finished instanceof Promise) finished.catch(() => undefined);
    return finished;
  }

  /** Kept, so that what comes out of the guard can be told from what the guard made up. */
  #finish(value: unknown): unknown {
    const shaped = this.shape(value);
    if (!(shaped instanceof Promise)) return (this.result = shaped);
    return shaped.then((result) => (this.result = result));
  }

  /** A place is given back when the handler ends, not when the call is given up: the work goes on until then. */
  async #runLater(input: Arguments): Promise<unknown> {
    const { concurrency, contextFactory } = this.#services;
    if (concurrency) this.#bounds?.disarm();
    const release = await concurrency?.acquire(this.#bounds?.signal);
    this.#bounds?.arm();
    try {
      this.app = await contextFactory?.(this.#request);
      // Whoever gave up meanwhile has been answered.
      if (this.#bounds?.signal?.aborted) throw cancelled();
      return await this.#invoke(input);
    } finally {
      // Work that others wait for goes on when this call is given up.
      if (release && this.#works) void Promise.allSettled(this.#works).then(release);
      else release?.();
    }
  }

  #invoke(input: Arguments): unknown {
    const compiled = this.#compiled;
    const context = createToolContext(
      this.#services,
      this.#request,
      compiled,
      this,
      this.#bounds,
      this.#repairs,
    );
    const call: ToolCall = { input, context };
    return compiled.isGuarded
      ? compiled.run(
          call,
          createAround(compiled, this.#request, this.#services, {
            sent: this.#withoutDiscriminator(),
            minify: this.#minify,
            onWork: (work) => void (this.#works ??= []).push(work),
          }),
        )
      : compiled.run(call);
  }

  #withoutDiscriminator(): Arguments {
    const { discriminator } = this.#compiled;
    return discriminator === undefined ? this.#sent : without(this.#sent, discriminator);
  }

  /** A guard of the author's own may have several told. */
  watch(watcher: CallWatcher): void {
    const first = this.#watcher;
    this.#watcher = first ? both(first, watcher) : watcher;
  }

  finish(result: CallToolResult): CallToolResult {
    try {
      this.#watcher?.end(result);
    } catch (error) {
      this.#complain(error);
    }
    return result;
  }

  fail(thrown: unknown): void {
    try {
      this.#watcher?.fail(thrown);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** What a watcher does wrong changes no answer. */
  #complain(error: unknown): void {
    const redactor = redactorFor(this.#request, this.app);
    this.#services.logger?.error({ error: redactor.value(error) }, 'watcher failed');
  }

  /** 6 shape */
  shape(value: unknown): CallToolResult | Promise<CallToolResult> {
    const { action, schema } = this.#compiled;
    const { responseFormatter: formatter } = this.#services;
    // Text needs no writing, and is what most handlers return.
    if (typeof value === 'string' && !action.output && !this.budget)
      return { content: [{ type: 'text', text: value }] };
    return shapeOutput(value, {
      action,
      fieldNames: schema.fieldNames,
      formatter,
      budget: this.budget,
      redactor: () => redactorFor(this.#request, this.app),
    });
  }

  end(): void {
    this.#bounds?.end();
  }
}

/** Query builders and the like are promises in all but name. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      'then' in value &&
      typeof value.then === 'function')
  );
}

function both(first: CallWatcher, second: CallWatcher): CallWatcher {
  return {
    end(result) {
      first.end(result);
      second.end(result);
    },
    fail(thrown) {
      first.fail(thrown);
      second.fail(thrown);
    },
  };
}
