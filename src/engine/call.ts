import type { Caller } from '../callers/caller.js';
import type { CompiledAction } from '../compile/compiled-tool.js';
import { repairJson } from '../guards/repair/json-repair.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrValidationFailed, ToolfoldError } from '../errors.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { noClientToAsk, putQuestions } from '../questions/request-input.js';
import { isJsonObject } from '../values/json-value.js';
import { Deadline } from './call-limits.js';
import { messageOf } from './error-handler.js';
import type { FoundAction } from './find-action.js';
import type { ExecuteRequest } from './request.js';
import {
  CallCache,
  createLog,
  createProgress,
  neverSignal,
  noLog,
  nobody,
  noProgress,
  noRelease,
  noSession,
  requestOf,
  sessionOf,
} from './request-context.js';
import type { CallWatcher } from './security-wrapper.js';
import type { Services } from './services.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A call on its way through the steps: only data, which the steps read and fill in. */
export interface Call {
  readonly request: ExecuteRequest;
  readonly compiled: CompiledAction;
  readonly caller: Caller;
  readonly deadline: Deadline | undefined;
  readonly budget: OutputBudget | undefined;
  /** Whether texts of the result are compact. Default: as the formatter has it. */
  readonly minify: boolean | undefined;
  /** The arguments as the client sent them, without hints. Step 3 repairs them. */
  sent: Arguments;
  /** The arguments that step 3 repaired. */
  repairs: readonly string[];
  /** Whether the security wrapper has let the call through to step 5. A later failure is no rejection. */
  isAdmitted: boolean;
  /** The value that `contextFactory` made. */
  app: unknown;
  /** Handlers that run for this call. They may outlast it, because concurrent callers share their results. */
  readonly handlers: Promise<unknown>[];
  readonly watchers: CallWatcher[];
  /** The shaped result, if an injected security wrapper was given one. */
  result: CallToolResult | undefined;
}

/** Begins a call of an action. Throws if its caller has already cancelled it. */
export function beginCall(services: Services, { compiled, input, request }: FoundAction): Call {
  const { timeoutMs, outputBudget } = compiled.action;
  const mayBeHinted = 'minify' in input || '_minify' in input || '__minify' in input;
  const hinted = mayBeHinted ? takeMinifyHint(input, compiled) : undefined;
  // A timeout needs an abort controller anyway, so the cancellation of the caller is observed as well.
  const signal = request.signal ?? (timeoutMs === undefined ? undefined : request.lazySignal?.());
  return {
    request,
    compiled,
    caller: request.caller ?? nobody,
    deadline: timeoutMs === undefined && !signal ? undefined : new Deadline(timeoutMs, signal),
    budget: request.run === undefined ? (outputBudget ?? services.outputBudget) : undefined,
    minify: request.minify ?? hinted?.minify,
    sent: hinted?.args ?? input,
    repairs: none,
    isAdmitted: false,
    app: undefined,
    handlers: [],
    watchers: request.onResult ? [watchResult(request)] : [],
    result: undefined,
  };
}

const none: readonly string[] = Object.freeze([]);

function watchResult(request: ExecuteRequest): CallWatcher {
  return { end: (result) => request.onResult?.(result as CallToolResult, request), fail: () => undefined };
}

const minifyHints = ['minify', '_minify', '__minify'] as const;

interface Hinted {
  readonly args: Arguments;
  readonly minify: boolean | undefined;
}

/** Reads and removes the hint `minify` from the arguments, unless the action has an argument of that name. */
function takeMinifyHint(given: Arguments, { schema: { fieldNames } }: CompiledAction): Hinted | undefined {
  let hinted: Hinted | undefined;
  for (const hint of minifyHints) {
    if (!Object.hasOwn(given, hint) || fieldNames.includes(hint)) continue;
    const value = toBoolean(given[hint]);
    // A value that is not a hint stays, so that validation reports it.
    if (value === undefined) continue;
    const { [hint]: _, ...args } = hinted?.args ?? given;
    hinted = { args, minify: hinted?.minify ?? value };
  }
  return hinted;
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Repairs JSON text in place of objects and arrays, and fills in the defaults. Repairs nothing the second time. */
export function prepareArguments(call: Call): Arguments | Promise<Arguments> {
  const { compiled, deadline, request } = call;
  const plan = compiled.schema.repairs;
  if (plan) {
    const { input, repairs } = repairJson(call.sent, plan);
    call.sent = input;
    if (repairs.length > 0) call.repairs = repairs;
  }
  if (!compiled.action.resolveDefaults) return call.sent;
  return resolveDefaults(call.sent, compiled, request, deadline?.signal ?? request.lazySignal?.());
}

/** Fills in missing arguments. Arguments of the caller take precedence, unless they are `undefined`. */
async function resolveDefaults(
  args: Arguments,
  { action: { resolveDefaults: resolve }, address }: CompiledAction,
  request: ExecuteRequest,
  signal: AbortSignal = neverSignal(),
): Promise<Arguments> {
  if (!resolve) return args;
  const { arguments: rawArguments = {}, accessToken, caller = nobody } = request;
  let defaults: unknown;
  try {
    defaults = await resolve({ rawArguments, accessToken, caller, session: sessionOf(request), signal });
  } catch (cause) {
    throw toValidationError(cause);
  }
  if (defaults === undefined || defaults === null) return args;
  if (!isJsonObject(defaults)) {
    throw new ErrValidationFailed(`Validation failed: the defaults of "${address}" are not an object.`);
  }
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** The error for defaults that could not be resolved. */
function toValidationError(cause: unknown): ToolfoldError {
  if (cause instanceof ToolfoldError && cause.audience !== 'author') return cause;
  return new ErrValidationFailed(`Validation failed: ${messageOf(cause)}`, { cause });
}

/** Makes the context that a handler gets beside its input. */
export function createToolContext(services: Services, call: Call): ToolContext {
  const { request, compiled, app, deadline } = call;
  const { ask, session } = request;
  const context: Omit<ToolContext, 'signal'> & { signal?: AbortSignal } = {
    app,
    accessToken: request.accessToken,
    progress: request.progress ? createProgress(request, app) : noProgress,
    requestInput: ask ? (questions) => putQuestions(questions, ask) : noClientToAsk,
    log: request.log ? createLog(request, app) : noLog,
    releaseConnection: request.release ?? noRelease,
    caller: call.caller,
    session: session ? sessionOf(request) : noSession,
    cache: new CallCache(services, request),
    sdk: request.sdk,
    action: compiled.key,
    operation: compiled.operation,
    rawArguments: request.arguments ?? call.sent,
    repairs: call.repairs,
  };
  if (request.lazySignal && !deadline) Object.defineProperty(context, 'signal', lazySignal);
  else context.signal = deadline?.signal ?? neverSignal();
  return context as ToolContext;
}

/**
 * Makes the signal when a handler reads it, because few do. An own property survives a copy of the context. All calls share one
 * getter, because V8 refers to getters from the old generation: a getter of one call would keep its whole request in memory until
 * the next full garbage collection.
 */
const lazySignal: PropertyDescriptor & ThisType<ToolContext> = {
  get() {
    return requestOf(this)?.lazySignal?.() ?? neverSignal();
  },
  set(signal: AbortSignal) {
    Object.defineProperty(this, 'signal', {
      value: signal,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  },
  enumerable: true,
  configurable: true,
};
