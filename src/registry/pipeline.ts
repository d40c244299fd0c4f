import { UNKNOWN_FIELD } from '../compile/input-validator.js';
import { repairJson } from '../compile/json-repair.js';
import type { Caller, ToolCall, ToolContext } from '../compile/tool-definition.js';
import type { CompiledAction, CompiledTool } from '../compile/tool-definition-compiler.js';
import {
  ErrActionRequired,
  ErrCancelled,
  ErrInsufficientScope,
  ErrInvalidResult,
  ErrTimeout,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
} from '../errors.js';
import { toErrorResult } from '../format/error-result.js';
import { isFinishedResult, toCallToolResult, toStructuredResult } from '../format/tool-result.js';
import type { CallToolResult } from '../format/tool-result.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';
import type { SchemaIssue, ValidationResult } from '../schema/validation-result.js';
import type { ConcurrencyLimit } from './concurrency.js';
import { nearestName } from './nearest-name.js';
import { createRequestContext } from './request-context.js';
import { InputRequired } from './request-input.js';
import type { ContextFactory, RequestOptions } from './request-context.js';

type Arguments = Readonly<Record<string, unknown>>;

/** One call, as the edge hands it over. */
export interface ExecuteRequest extends RequestOptions {
  readonly name: string;
  readonly arguments?: Arguments | undefined;
}

/** What the pipeline runs in. */
export interface Pipeline {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly contextFactory?: ContextFactory | undefined;
  readonly concurrency?: ConcurrencyLimit | undefined;
}

/** Runs one call through all steps. It never rejects: whatever goes wrong is an answer. */
export async function runPipeline(pipeline: Pipeline, request: ExecuteRequest): Promise<CallToolResult> {
  let address: string | undefined;
  try {
    // 1 find
    const { action, key, input: given } = find(pipeline.tools, request);
    address = action.address;
    // 2 admit
    assertScopes(action, request.caller);
    // 3 prepare
    const { input, repairs } = repairJson(given, action.repairable);
    // 4 validate
    const checked = action.validate(input);
    const valid = unwrap(checked instanceof Promise ? await checked : checked, action, input);
    // 5 run
    const app = pipeline.contextFactory ? await pipeline.contextFactory(request) : undefined;
    const call: ToolCall = { input: valid, context: createContext(request, action, { app, key, repairs }) };
    const value = await (pipeline.concurrency
      ? pipeline.concurrency.run(async () => runBounded(action, call, request.signal), request.signal)
      : runBounded(action, call, request.signal));
    // 6 shape
    const { output } = action.action;
    return output ? await shapeOutput(value, output) : toCallToolResult(value);
  } catch (thrown) {
    if (thrown instanceof InputRequired) return inputRequired(thrown);
    // 7 error
    return toErrorResult(thrown, address);
  }
}

/** The answer that asks the client to come back with answers, as 2026-07-28 carries it. */
function inputRequired({ inputRequests }: InputRequired): CallToolResult {
  return { content: [], resultType: 'input_required', inputRequests };
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
  const action = resolveAction(key, actions);
  return { action, key, input: action.ignoresDiscriminator ? input : without(input, discriminator) };
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

function unwrap(result: ValidationResult, action: CompiledAction, input: Arguments): Arguments {
  if (result.ok) return result.value as Arguments;
  const issues = result.issues.slice(0, MAX_LISTED);
  throw new ErrValidationFailed(
    `Validation failed: ${issues.map((issue) => describeIssue(issue, action.fieldNames, input)).join('; ')}`,
    {
      details: { action: action.address, issues },
    },
  );
}

function describeIssue(
  { path, message }: SchemaIssue,
  fieldNames: readonly string[],
  input?: Arguments,
): string {
  if (path.length === 0) return message;
  const isUnknown = path.length === 1 && message === UNKNOWN_FIELD;
  const advice = isUnknown ? whatToSend(String(path[0]), fieldNames) : whatWasSent(path, message, input);
  return `${path.join('.')}: ${message}${advice}`;
}

/** Short values that are no secrets, where the message does not say already. */
function whatWasSent(path: SchemaIssue['path'], message: string, input: unknown): string {
  if (
    /received|, not |required/.test(message) ||
    path.some((key) => /pass|secret|token|key|auth/i.test(String(key)))
  )
    return '';
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string | number, unknown>)[key];
  }
  const isShort =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 40);
  return isShort ? `, but ${JSON.stringify(value)} was sent` : '';
}

function whatToSend(field: string, fieldNames: readonly string[]): string {
  const nearest = nearestName(field, fieldNames);
  if (nearest !== undefined) return `.${didYouMean(nearest)}`;
  return fieldNames.length > 0 ? `. Known: ${list(fieldNames.slice(0, 20))}` : '. There are none';
}

function createContext(
  request: ExecuteRequest,
  action: CompiledAction,
  { app, key, repairs }: { app: unknown; key: string | undefined; repairs: readonly string[] },
): ToolContext {
  const { accessToken, signal, progress, requestInput, caller, sdk } = createRequestContext(request, app);
  // Written out: spreading an object costs more than all other steps of a call together.
  return {
    app,
    accessToken,
    signal,
    progress,
    requestInput,
    caller,
    sdk,
    action: key,
    operation: action.address,
    rawArguments: request.arguments ?? {},
    repairs,
  };
}

/** Runs the action until it ends, its time is up or the caller gives up, whichever is first. */
function runBounded(action: CompiledAction, call: ToolCall, signal: AbortSignal | undefined): unknown {
  const { timeout } = action.action;
  if (timeout === undefined && signal === undefined) return action.run(call);
  if (signal?.aborted) throw cancelled();

  // A controller takes longer to make than the rest of a call, so the caller's signal is passed on where it will do.
  const controller = timeout === undefined ? undefined : new AbortController();
  const bounded = controller ? { ...call, context: { ...call.context, signal: controller.signal } } : call;
  return new Promise<unknown>((resolve, reject) => {
    const giveUp = (reason: ErrTimeout | ErrCancelled): void => {
      stop();
      controller?.abort(reason);
      reject(reason);
    };
    const timer = timeout === undefined ? undefined : setTimeout(() => giveUp(timedOut(timeout)), timeout);
    const onAbort = (): void => giveUp(cancelled());
    signal?.addEventListener('abort', onAbort, { once: true });
    const stop = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    settle(action, bounded).then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

async function settle(action: CompiledAction, call: ToolCall): Promise<unknown> {
  return action.run(call);
}

/** Data must be what the output schema promises: clients refuse anything else. */
async function shapeOutput(value: unknown, output: ReadSchema): Promise<CallToolResult> {
  if (isFinishedResult(value)) return toCallToolResult(value);
  const checked = await output.validate(value);
  if (checked.ok) return toStructuredResult(checked.value);
  const issues = checked.issues.map((issue) => describeIssue(issue, []));
  throw new ErrInvalidResult(`The result does not fit the output schema: ${issues.join('; ')}.`, {
    details: { issues: checked.issues },
  });
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
