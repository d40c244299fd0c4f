import { didYouMean, listNames } from '../compile/describe-issues.js';
import { repairJson } from '../compile/json-repair.js';
import { nearestName } from '../compile/nearest-name.js';
import type { Caller, ToolCall, ToolContext } from '../compile/tool-definition.js';
import type { CompiledAction, CompiledTool } from '../compile/tool-definition-compiler.js';
import {
  ErrActionRequired,
  ErrInsufficientScope,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
} from '../errors.js';
import { issuesOf } from '../format/error-handler.js';
import type { CallToolResult } from '../format/tool-result.js';
import type { SecuredCall } from '../guard/security-wrapper.js';
import { isJsonObject } from '../schema/json-schema.js';
import { createAround } from './around.js';
import { cancelled, createBounds } from './bounds.js';
import type { Bounds } from './bounds.js';
import type { Collaborators } from './collaborators.js';
import type { CallRecord } from './observe.js';
import { resolveDefaults, takeMinifyHint } from './prepare-arguments.js';
import { createRequestContext, nobody } from './request-context.js';
import type { RequestOptions } from './request-context.js';
import { InputRequired } from './request-input.js';
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
  const record: CallRecord = {};
  const { observe } = with_;
  return observe
    ? observe({ request, record }, () => new Run(tools, with_, request, record).toResult())
    : new Run(tools, with_, request, record).toResult();
}

/** The state of one call on its way. */
class Run {
  readonly #tools: Tools;
  readonly #with: Collaborators;
  readonly #request: ExecuteRequest;
  readonly #record: CallRecord;
  #app: unknown;
  /** The arguments that are validated, with defaults filled in. */
  #prepared: Arguments = {};
  #bounds: Bounds | undefined;
  /** Whether the guard has let it through: what fails from then on is not the guard's judgement. */
  #isAdmitted = false;

  constructor(tools: Tools, with_: Collaborators, request: ExecuteRequest, record: CallRecord) {
    this.#tools = tools;
    this.#with = with_;
    this.#request = request;
    this.#record = record;
  }

  async toResult(): Promise<CallToolResult> {
    try {
      // 1 find
      const found = find(this.#tools, this.#request);
      this.#record.address = found.action.address;
      this.#record.action = found.key;
      // 2 admit: scopes here, the rate limit in the guard
      assertScopes(found.action, this.#request.caller);
      const { args, minify } = takeMinifyHint(found.input, found.action);
      return await this.#with.responseFormatter.runWithMinifyOverride(this.#request.minify ?? minify, () =>
        this.#guard(found.action, found.key, args),
      );
    } catch (thrown) {
      return this.#toError(thrown);
    } finally {
      this.#bounds?.end();
    }
  }

  /** The guard asks for the arguments (3), validates them (4) and runs the action with what it got. */
  #guard(compiled: CompiledAction, key: string | undefined, args: Arguments): Promise<CallToolResult> {
    const { caller = nobody, accessToken, arguments: rawArguments = {} } = this.#request;
    const { action, address, operation, namespace = this.#with.namespace, schema } = compiled;
    this.#bounds = createBounds(action.timeout, this.#request.signal);
    const bounds = this.#bounds;
    let repairs: readonly string[] = [];
    // 3 prepare
    const prepare = (given: Arguments): Arguments => {
      const repaired = repairJson(given, compiled.repairable);
      repairs = repaired.repairs;
      return (this.#prepared = repaired.input);
    };
    const call: SecuredCall = {
      address,
      caller,
      accessToken,
      rawArguments,
      cost: action.cost ?? 1,
      signal: bounds?.signal,
      arguments: () => {
        if (!action.resolveDefaults) return prepare(args);
        bounds?.arm();
        const filled = resolveDefaults(args, compiled, this.#request, bounds?.signal);
        return (bounds ? bounds.race(filled) : filled).then(prepare);
      },
    };
    // 4 validate
    const secure = this.#with.withSecurityWrapper(namespace, operation, schema);
    return secure(call, (input) => this.#run(compiled, key, input, repairs)) as Promise<CallToolResult>;
  }

  /** 5 run, 6 shape */
  async #run(
    compiled: CompiledAction,
    key: string | undefined,
    input: Arguments,
    repairs: readonly string[],
  ): Promise<CallToolResult> {
    this.#isAdmitted = true;
    const bounds = this.#bounds;
    try {
      if (!this.#with.concurrency) bounds?.arm();
      const running = this.#start(compiled, key, input, repairs);
      const value = await (bounds && running instanceof Promise ? bounds.race(running) : running);
      return await shapeOutput(value, {
        action: compiled.action,
        fieldNames: compiled.schema.fieldNames,
        formatter: this.#with.responseFormatter,
        budget: this.#with.outputBudget,
      });
    } catch (thrown) {
      if (thrown instanceof InputRequired) return inputRequired(thrown);
      throw thrown;
    }
  }

  #start(
    compiled: CompiledAction,
    key: string | undefined,
    input: Arguments,
    repairs: readonly string[],
  ): unknown {
    const { concurrency, contextFactory } = this.#with;
    if (!concurrency && !contextFactory) return this.#invoke(compiled, key, input, repairs);
    return this.#startLater(compiled, key, input, repairs);
  }

  /** A place is given back when the handler ends, not when the call is given up: the work goes on until then. */
  async #startLater(
    compiled: CompiledAction,
    key: string | undefined,
    input: Arguments,
    repairs: readonly string[],
  ): Promise<unknown> {
    const { concurrency, contextFactory } = this.#with;
    const release = await concurrency?.acquire(this.#bounds?.signal);
    this.#bounds?.arm();
    try {
      this.#app = await contextFactory?.(this.#request);
      // Whoever gave up meanwhile has been answered.
      if (this.#bounds?.signal?.aborted) throw cancelled();
      return await this.#invoke(compiled, key, input, repairs);
    } finally {
      release?.();
    }
  }

  #invoke(
    compiled: CompiledAction,
    key: string | undefined,
    input: Arguments,
    repairs: readonly string[],
  ): unknown {
    const call: ToolCall = { input, context: this.#createContext(compiled, key, repairs) };
    const around = compiled.isGuarded
      ? createAround(compiled, this.#request, this.#with, this.#prepared)
      : undefined;
    return compiled.run(call, around);
  }

  #createContext(compiled: CompiledAction, key: string | undefined, repairs: readonly string[]): ToolContext {
    const shared = createRequestContext(this.#request, this.#app, this.#with.cache);
    // Written out: spreading an object costs more than all other steps of a call together.
    return {
      app: shared.app,
      accessToken: shared.accessToken,
      signal: this.#bounds?.signal ?? shared.signal,
      progress: shared.progress,
      requestInput: shared.requestInput,
      caller: shared.caller,
      cache: shared.cache,
      sdk: shared.sdk,
      action: key,
      operation: compiled.operation,
      rawArguments: this.#request.arguments ?? {},
      repairs,
    };
  }

  /** 7 error: one place, one table. */
  #toError(thrown: unknown): CallToolResult {
    const { address } = this.#record;
    const { accessToken, caller, arguments: given } = this.#request;
    const failed = { address, context: [{ accessToken }, caller?.auth, this.#app, given] };
    const { errorHandler } = this.#with;
    const isProblem = isValidationProblem(thrown) || (!this.#isAdmitted && issuesOf(thrown) !== undefined);
    return isProblem
      ? errorHandler.createValidationError(thrown, failed)
      : errorHandler.handleError(thrown, failed);
  }
}

/** The call cannot be run as it is, and the caller can tell why. */
function isValidationProblem(thrown: unknown): boolean {
  return (
    thrown instanceof ErrUnknownTool ||
    thrown instanceof ErrActionRequired ||
    thrown instanceof ErrUnknownAction ||
    thrown instanceof ErrValidationFailed
  );
}

/** The answer that asks the client to come back with answers, as 2026-07-28 carries it. */
function inputRequired({ inputRequests }: InputRequired): CallToolResult {
  return { content: [], resultType: 'input_required', inputRequests };
}

function find(
  tools: Tools,
  { name, arguments: given }: ExecuteRequest,
): { action: CompiledAction; key: string | undefined; input: Arguments } {
  const tool = tools.get(name);
  if (!tool) throw unknownTool(name, tools);
  const input = given ?? {};
  if (!isJsonObject(input)) {
    throw new ErrValidationFailed('Validation failed: arguments: must be an object.', {
      details: { tool: name },
    });
  }
  const { discriminator, actions } = tool;
  if (discriminator === undefined)
    return { action: actions.get('') as CompiledAction, key: undefined, input };
  const key = parseDiscriminator(discriminator, input, actions);
  const action = resolveAction(key, actions);
  return { action, key, input: action.ignoresDiscriminator ? input : without(input, discriminator) };
}

function unknownTool(name: string, tools: Tools): ErrUnknownTool {
  const nearest = nearestName(String(name), tools.keys());
  return new ErrUnknownTool(
    `Unknown tool "${name}".${didYouMean(nearest)} Available: ${listNames(tools.keys())}`,
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
      details: { action: key, suggestions: nearest === undefined ? [] : [nearest] },
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
