import { repairJson } from '../compile/json-repair.js';
import type { Caller, ReportProgress, ToolCall, ToolContext } from '../compile/tool-definition.js';
import type { CompiledAction, CompiledTool } from '../compile/tool-definition-compiler.js';
import {
  ErrActionRequired,
  ErrCancelled,
  ErrTimeout,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
} from '../errors.js';
import { toErrorResult } from '../format/error-result.js';
import { toCallToolResult } from '../format/tool-result.js';
import type { CallToolResult } from '../format/tool-result.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { SchemaIssue, ValidationResult } from '../schema/validation-result.js';
import type { ConcurrencyLimit } from './concurrency.js';
import { nearestName } from './nearest-name.js';

type Arguments = Readonly<Record<string, unknown>>;

/** One call, as the edge hands it over. */
export interface ExecuteRequest {
  readonly name: string;
  readonly arguments?: Arguments | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ReportProgress | undefined;
  readonly caller?: Caller | undefined;
  readonly accessToken?: string | undefined;
  /** The context of the MCP SDK, passed on to the handler. */
  readonly sdk?: unknown;
}

/** What the pipeline runs in. */
export interface Pipeline {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** Makes `context.app` for each call. */
  readonly contextFactory?: ((request: ExecuteRequest) => unknown) | undefined;
  readonly concurrency?: ConcurrencyLimit | undefined;
}

/** Runs one call through all steps. It never rejects: whatever goes wrong is an answer. */
export async function runPipeline(pipeline: Pipeline, request: ExecuteRequest): Promise<CallToolResult> {
  let address: string | undefined;
  try {
    const { action, key, input: given } = find(pipeline.tools, request); //                       1 find
    address = action.address;
    const { input, repairs } = repairJson(given, action.repairable); //                           2 prepare
    const checked = action.validate(input); //                                                    3 validate
    const valid = unwrap(checked instanceof Promise ? await checked : checked, action);
    const context = await createContext(pipeline, request, action, key, repairs);
    const run = (): Promise<unknown> => runBounded(action, { input: valid, context }, request); // 4 run
    const value = await (pipeline.concurrency ? pipeline.concurrency.run(run) : run());
    return toCallToolResult(value); //                                                            5 shape
  } catch (thrown) {
    return toErrorResult(thrown, address); //                                                     6 error
  }
}

function find(
  tools: ReadonlyMap<string, CompiledTool>,
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
  return { action: resolveAction(key, actions), key, input: without(input, discriminator) };
}

function unknownTool(name: string, tools: ReadonlyMap<string, CompiledTool>): ErrUnknownTool {
  const nearest = nearestName(String(name), tools.keys());
  return new ErrUnknownTool(
    `Unknown tool "${name}".${didYouMean(nearest)} Available: ${list(tools.keys())}`,
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
    throw new ErrActionRequired(`${discriminator} is required. Available: ${list(actions.keys())}`, {
      details: { suggestions: [...actions.keys()] },
    });
  }
  return key;
}

function resolveAction(key: string, actions: ReadonlyMap<string, CompiledAction>): CompiledAction {
  const action = actions.get(key);
  if (action) return action;
  const nearest = nearestName(key, actions.keys());
  throw new ErrUnknownAction(`Unknown action. Available: ${list(actions.keys())}${didYouMean(nearest)}`, {
    details: { action: key, suggestions: nearest === undefined ? [] : [nearest] },
  });
}

function without(input: Arguments, discriminator: string): Arguments {
  const { [discriminator]: _, ...rest } = input;
  return rest;
}

function unwrap(result: ValidationResult, action: CompiledAction): Arguments {
  if (result.ok) return result.value as Arguments;
  const { issues } = result;
  throw new ErrValidationFailed(`Validation failed: ${issues.map(describeIssue).join('; ')}`, {
    details: { action: action.address, issues },
  });
}

function describeIssue({ path, message }: SchemaIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

async function createContext(
  pipeline: Pipeline,
  request: ExecuteRequest,
  action: CompiledAction,
  key: string | undefined,
  repairs: readonly string[],
): Promise<ToolContext> {
  return {
    app: pipeline.contextFactory ? await pipeline.contextFactory(request) : undefined,
    action: key,
    operation: action.address,
    accessToken: request.accessToken,
    rawArguments: request.arguments ?? {},
    repairs,
    signal: request.signal ?? never,
    progress: request.progress ?? noProgress,
    caller: request.caller ?? nobody,
    sdk: request.sdk,
  };
}

const never = new AbortController().signal;
const nobody: Caller = Object.freeze({});
const noProgress: ReportProgress = async () => {};

/** Runs the action until it ends, its time is up or the caller gives up, whichever is first. */
function runBounded(action: CompiledAction, call: ToolCall, { signal }: ExecuteRequest): Promise<unknown> {
  const { timeout } = action.action;
  if (timeout === undefined && signal === undefined) return runAction(action, call);
  if (signal?.aborted) return Promise.reject(cancelled());

  const controller = new AbortController();
  return new Promise<unknown>((resolve, reject) => {
    const giveUp = (reason: ErrTimeout | ErrCancelled): void => {
      controller.abort(reason);
      reject(reason);
    };
    const timer = timeout === undefined ? undefined : setTimeout(() => giveUp(timedOut(timeout)), timeout);
    const onAbort = (): void => giveUp(cancelled());
    signal?.addEventListener('abort', onAbort, { once: true });
    const context = { ...call.context, signal: controller.signal };
    runAction(action, { ...call, context })
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      })
      .then(resolve, reject);
  });
}

/** A generator reports progress with what it yields; what it returns is its value. */
async function runAction(action: CompiledAction, call: ToolCall): Promise<unknown> {
  const value = await action.run(call);
  if (!isAsyncGenerator(value)) return value;
  for (;;) {
    const step = await value.next();
    if (step.done) return step.value;
    await report(step.value, call.context.progress);
  }
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

async function report(step: unknown, progress: ReportProgress): Promise<void> {
  if (typeof step === 'number') await progress(step);
  else if (isJsonObject(step) && typeof step['progress'] === 'number') {
    const { progress: done, total, message } = step;
    await progress(
      done,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  }
}

function timedOut(timeout: number): ErrTimeout {
  return new ErrTimeout(`The call took longer than ${timeout} ms and was given up.`, {
    hint: 'Ask for less at once, or try again later.',
    details: { timeout },
  });
}

function cancelled(): ErrCancelled {
  return new ErrCancelled('The call was cancelled.');
}

const MAX_LISTED = 50;

function list(names: Iterable<string>): string {
  const all = [...names];
  if (all.length <= MAX_LISTED) return all.join(', ');
  return `${all.slice(0, MAX_LISTED).join(', ')} and ${all.length - MAX_LISTED} more`;
}

function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
