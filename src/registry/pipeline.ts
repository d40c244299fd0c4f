import { clip, didYouMean, listNames } from '../compile/describe-issues.js';
import { repairJson } from '../compile/json-repair.js';
import { nearestName } from '../compile/nearest-name.js';
import type { Caller, ToolCall, ToolContext } from '../compile/tool-definition.js';
import type { CompiledAction, CompiledTool } from '../compile/tool-definition-compiler.js';
import {
  ErrActionRequired,
  ErrInsufficientScope,
  ErrOutputTooLarge,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
  ToolfoldError,
} from '../errors.js';
import { ErrorHandler, issuesOf } from '../format/error-handler.js';
import { fitResult } from '../format/output-budget.js';
import type { OutputBudget } from '../format/output-budget.js';
import type { CallToolResult } from '../format/tool-result.js';
import { createRedactor } from '../guard/redaction.js';
import type { SecuredCall } from '../guard/security-wrapper.js';
import { isJsonObject } from '../schema/json-schema.js';
import { createAround } from './around.js';
import { cancelled, createBounds } from './bounds.js';
import type { Bounds } from './bounds.js';
import type { Collaborators } from './collaborators.js';
import type { CallRecord, Observe } from './observe.js';
import { resolveDefaults, takeMinifyHint } from './prepare-arguments.js';
import { CallCache, never, nobody, noProgress } from './request-context.js';
import type { RequestOptions } from './request-context.js';
import { InputRequired } from '../compile/input-required.js';
import { createRequestInput } from './request-input.js';
import { shapeOutput } from './shape-output.js';

type Arguments = Readonly<Record<string, unknown>>;

/** One call, as the edge hands it over. */
export interface ExecuteRequest extends RequestOptions {
  readonly name: string;
  readonly arguments?: Arguments | undefined;
  /** Whether texts of the answer are compact; wins over hints among the arguments. */
  readonly minify?: boolean | undefined;
  /** Which call this repeats, for actions that are declared so. */
  readonly idempotencyKey?: string | undefined;
}

type Tools = ReadonlyMap<string, CompiledTool>;

/** Runs one call through all steps. It never rejects: whatever goes wrong is an answer. */
export function runPipeline(
  tools: Tools,
  with_: Collaborators,
  request: ExecuteRequest,
): Promise<CallToolResult> {
  const { observe } = with_;
  if (!observe) return execute(tools, with_, request);
  const record: CallRecord = {};
  return observed(observe, with_, request, record, () => execute(tools, with_, request, record));
}

async function observed(
  observe: Observe,
  with_: Collaborators,
  request: ExecuteRequest,
  record: CallRecord,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await observe({ request, record }, run);
  } catch (thrown) {
    return toError(thrown, with_, request, { address: record.address, isAdmitted: true });
  }
}

async function execute(
  tools: Tools,
  with_: Collaborators,
  request: ExecuteRequest,
  record?: CallRecord,
): Promise<CallToolResult> {
  let address: string | undefined;
  let run: Run | undefined;
  try {
    // 1 find
    const { action, input } = find(tools, request);
    address = action.address;
    if (record) Object.assign(record, { address, action: action.key });
    // 2 admit: scopes here, the rate limit in the guard
    assertScopes(action, request.caller);
    const hinted = takeMinifyHint(input, action);
    const minify = request.minify ?? hinted?.minify;
    const admitted = new Run(with_, request, action, hinted?.args ?? input, minify);
    run = admitted;
    // A closure less for the calls that are most of all.
    const isPlain = minify === undefined && with_.ownFormatter?.isIdle === true;
    const value = await (isPlain
      ? admitted.start()
      : with_.responseFormatter.runWithMinifyOverride(minify, () => admitted.start()));
    if (admitted.isShaped) return value as CallToolResult;
    const result = isPlain
      ? admitted.shape(value)
      : with_.responseFormatter.runWithMinifyOverride(minify, () => admitted.shape(value));
    // Waiting for what is there already would be a turn of the queue more.
    return result instanceof Promise ? await result : result;
  } catch (thrown) {
    if (isInputRequired(thrown)) return inputRequired(thrown);
    if (!run) logRefusal(thrown, with_, request, address);
    return toError(thrown, with_, request, {
      address,
      app: run?.app,
      isAdmitted: run?.isAdmitted,
      budget: run?.budget,
    });
  } finally {
    run?.end();
  }
}

/** One call on its way, as the guard sees it. */
class Run implements SecuredCall {
  readonly address: string;
  readonly caller: Caller;
  readonly accessToken: string | undefined;
  readonly rawArguments: Arguments;
  readonly cost: number;
  /** Whether the guard has let it through: what fails from then on is not the guard's judgement. */
  isAdmitted = false;
  /** Whether the value that comes out of the guard is the answer already. */
  isShaped = false;
  app: unknown;
  readonly #with: Collaborators;
  readonly #request: ExecuteRequest;
  readonly #compiled: CompiledAction;
  readonly #given: Arguments;
  readonly #minify: boolean | undefined;
  readonly #bounds: Bounds | undefined;
  /** The arguments that are validated, with defaults filled in. */
  #prepared: Arguments;
  #repairs: readonly string[] = none;

  constructor(
    with_: Collaborators,
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
    this.#with = with_;
    this.#request = request;
    this.#compiled = compiled;
    this.#minify = minify;
    this.#given = given;
    this.#prepared = given;
    this.#bounds = createBounds(compiled.action.timeout, request.signal);
  }

  get budget(): OutputBudget | undefined {
    return this.#compiled.action.outputBudget ?? this.#with.outputBudget;
  }

  get signal(): AbortSignal | undefined {
    return this.#bounds?.signal;
  }

  /** The guard asks for the arguments (3), validates them (4) and runs the action with what it got. */
  start(): unknown {
    const { operation, namespace = this.#with.namespace, schema } = this.#compiled;
    // 4 validate
    const secure = this.#with.withSecurityWrapper(namespace, operation, schema);
    return secure(this, (input) => this.#run(input));
  }

  /** 3 prepare */
  arguments(): Arguments | Promise<Arguments> {
    const bounds = this.#bounds;
    if (!this.#compiled.action.resolveDefaults) return this.#repair(this.#given);
    bounds?.arm();
    const filled = resolveDefaults(this.#given, this.#compiled, this.#request, bounds?.signal);
    return (bounds ? bounds.race(filled) : filled).then((args) => this.#repair(args));
  }

  #repair(args: Arguments): Arguments {
    const plan = this.#compiled.repairable;
    if (!plan) return (this.#prepared = args);
    const { input, repairs } = repairJson(args, plan);
    this.#repairs = repairs;
    return (this.#prepared = input);
  }

  /** 5 run. Where the guard looks at no result, it is shaped after the guard: that is a promise less. */
  #run(input: Arguments): unknown {
    const { concurrency, contextFactory, isSilent } = this.#with;
    const bounds = this.#bounds;
    this.isAdmitted = true;
    if (!concurrency) bounds?.arm();
    const running = concurrency || contextFactory ? this.#runLater(input) : this.#invoke(input);
    const pending = isThenable(running) ? Promise.resolve(running) : undefined;
    const value = pending ? (bounds ? bounds.race(pending) : pending) : running;
    if (isSilent) return value;
    this.isShaped = true;
    return value instanceof Promise ? value.then((settled) => this.shape(settled)) : this.shape(value);
  }

  /** A place is given back when the handler ends, not when the call is given up: the work goes on until then. */
  async #runLater(input: Arguments): Promise<unknown> {
    const { concurrency, contextFactory } = this.#with;
    const release = await concurrency?.acquire(this.#bounds?.signal);
    this.#bounds?.arm();
    try {
      this.app = await contextFactory?.(this.#request);
      // Whoever gave up meanwhile has been answered.
      if (this.#bounds?.signal?.aborted) throw cancelled();
      return await this.#invoke(input);
    } finally {
      release?.();
    }
  }

  #invoke(input: Arguments): unknown {
    const compiled = this.#compiled;
    const call: ToolCall = { input, context: this.#createContext() };
    return compiled.isGuarded
      ? compiled.run(
          call,
          createAround(compiled, this.#request, this.#with, {
            prepared: this.#prepared,
            minify: this.#minify,
          }),
        )
      : compiled.run(call);
  }

  #createContext(): ToolContext {
    const request = this.#request;
    // Written out: spreading an object costs more than all other steps of a call together.
    return {
      app: this.app,
      accessToken: request.accessToken,
      signal: this.#bounds?.signal ?? never,
      progress: request.progress ?? noProgress,
      requestInput: createRequestInput(request.ask),
      caller: this.caller,
      cache: new CallCache(this.#with, request),
      sdk: request.sdk,
      action: this.#compiled.key,
      operation: this.#compiled.operation,
      rawArguments: this.rawArguments,
      repairs: this.#repairs,
    };
  }

  /** 6 shape */
  shape(value: unknown): CallToolResult | Promise<CallToolResult> {
    const { action, schema } = this.#compiled;
    const { responseFormatter: formatter } = this.#with;
    return shapeOutput(value, { action, fieldNames: schema.fieldNames, formatter, budget: this.budget });
  }

  end(): void {
    this.#bounds?.end();
  }
}

/** Query builders and the like are promises in all but name. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function')
  );
}

const none: readonly string[] = Object.freeze([]);

/** What the guard never saw is not in its log. */
function logRefusal(
  thrown: unknown,
  { logger }: Collaborators,
  { name }: ExecuteRequest,
  address: string | undefined,
): void {
  if (!logger) return;
  const outcome = thrown instanceof ToolfoldError ? thrown.code : 'error';
  logger.warn(
    { tool: createRedactor().text(String(name).slice(0, 128)), address, outcome },
    'tool call refused',
  );
}

/** 7 error: one place, one table. */
export function toError(
  thrown: unknown,
  { errorHandler, outputBudget }: Collaborators,
  { accessToken, caller, arguments: given }: ExecuteRequest,
  {
    address,
    app,
    isAdmitted,
    budget = outputBudget,
  }: {
    address?: string | undefined;
    app?: unknown;
    isAdmitted?: boolean | undefined;
    budget?: OutputBudget | undefined;
  },
): CallToolResult {
  try {
    const failed = { address, context: [{ accessToken }, caller?.auth, app, given] };
    const isProblem = isValidationProblem(thrown) || (isAdmitted !== true && issuesOf(thrown) !== undefined);
    const result = isProblem
      ? errorHandler.createValidationError(thrown, failed)
      : errorHandler.handleError(thrown, failed);
    return budget ? fitError(result, budget) : result;
  } catch {
    // Anything can be thrown, even what throws when it is looked at; and a handler of the author's own may fail.
    return lastResort.handleError(undefined, { address });
  }
}

/** What went wrong is said in any case. */
function fitError(result: CallToolResult, budget: OutputBudget): CallToolResult {
  try {
    return fitResult(result, budget);
  } catch (thrown) {
    if (thrown instanceof ErrOutputTooLarge) return result;
    throw thrown;
  }
}

const lastResort = new ErrorHandler({ exposeErrors: 'generic' });

/** The call cannot be run as it is, and the caller can tell why. */
function isValidationProblem(thrown: unknown): boolean {
  return (
    thrown instanceof ErrUnknownTool ||
    thrown instanceof ErrActionRequired ||
    thrown instanceof ErrUnknownAction ||
    thrown instanceof ErrValidationFailed
  );
}

/** Anything can be thrown, even what throws when it is looked at. */
function isInputRequired(thrown: unknown): thrown is InputRequired {
  try {
    return thrown instanceof InputRequired;
  } catch {
    return false;
  }
}

/** The answer that asks the client to come back with answers, as 2026-07-28 carries it. */
function inputRequired({ inputRequests }: InputRequired): CallToolResult {
  return { content: [], resultType: 'input_required', inputRequests };
}

function find(
  tools: Tools,
  { name, arguments: given }: ExecuteRequest,
): { action: CompiledAction; input: Arguments } {
  const tool = tools.get(name);
  if (!tool) throw unknownTool(name, tools);
  const input = given ?? {};
  if (!isJsonObject(input)) {
    throw new ErrValidationFailed('Validation failed: arguments: must be an object.', {
      details: { tool: name },
    });
  }
  const { discriminator, actions } = tool;
  if (discriminator === undefined) return { action: actions.get('') as CompiledAction, input };
  const key = parseDiscriminator(discriminator, input, actions);
  const action = resolveAction(key, actions);
  return { action, input: action.ignoresDiscriminator ? input : without(input, discriminator) };
}

function unknownTool(name: string, tools: Tools): ErrUnknownTool {
  const nearest = nearestName(String(name), tools.keys());
  return new ErrUnknownTool(
    `Unknown tool "${clip(String(name))}".${didYouMean(nearest)} Available: ${listNames(tools.keys())}`,
    {
      details: { suggestions: nearest === undefined ? [] : [nearest] },
    },
  );
}

function parseDiscriminator(
  discriminator: string,
  input: Arguments,
  actions: ReadonlyMap<string, CompiledAction>,
): string {
  const key = Object.hasOwn(input, discriminator) ? input[discriminator] : undefined;
  if (typeof key !== 'string' || key === '') {
    throw new ErrActionRequired(`${discriminator} is required. Available: ${listNames(actions.keys())}`, {
      details: { suggestions: [...actions.keys()] },
    });
  }
  return key;
}

function resolveAction(key: string, actions: ReadonlyMap<string, CompiledAction>): CompiledAction {
  const action = actions.get(key);
  if (action) return action;
  const nearest = nearestName(key, actions.keys());
  throw new ErrUnknownAction(
    `Unknown action. Available: ${listNames(actions.keys())}${didYouMean(nearest)}`,
    {
      details: { action: clip(key), suggestions: nearest === undefined ? [] : [nearest] },
    },
  );
}

/** Whoever is not known to have a scope does not have it. */
function assertScopes({ action: { scopes }, address }: CompiledAction, caller: Caller | undefined): void {
  if (scopes.length === 0) return;
  const granted = caller?.auth?.['scopes'];
  const missing = scopes.filter((scope) => !Array.isArray(granted) || !granted.includes(scope));
  if (missing.length === 0) return;
  throw new ErrInsufficientScope(
    `"${address}" needs the scope ${scopes.join(', ')}; missing: ${missing.join(', ')}.`,
    {
      details: { required: scopes, missing },
    },
  );
}

function without(input: Arguments, discriminator: string): Arguments {
  const { [discriminator]: _, ...rest } = input;
  return rest;
}
