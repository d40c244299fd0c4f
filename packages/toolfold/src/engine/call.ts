import type { Caller } from '../callers/caller.js';
import type { CompiledAction } from '../compile/compiled-tool.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrValidationFailed, ToolfoldError } from '@toolfold/schema/errors';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { Deadline } from './call-limits.js';
import { chooseArguments, readForms } from '../guards/repair/choose-arguments.js';
import type { Reading } from '../guards/repair/choose-arguments.js';
import { messageOf } from './error-handler.js';
import type { FoundAction } from './find-action.js';
import type { ExecuteRequest, Writable } from './request.js';
import {
  createRequestContext,
  neverSignal,
  nobody,
  redactorFor,
  requestOf,
  sessionOf,
} from './request-context.js';
import { subscribe } from './events/call-events.js';
import type { Emit } from './events/call-events.js';
import type { CallWatcher } from './security-wrapper.js';
import type { Services } from './services.js';

type Arguments = Readonly<Record<string, unknown>>;

/** The state of one call, which the steps of the pipeline read and fill in. */
export interface Call {
  readonly request: ExecuteRequest;
  readonly compiled: CompiledAction;
  readonly caller: Caller;
  readonly deadline: Deadline | undefined;
  readonly budget: OutputBudget | undefined;
  /** Whether JSON in the result is compact. `undefined` leaves the choice to the formatter. */
  readonly minify: boolean | undefined;
  /** The arguments as the client sent them. */
  readonly rawArguments: Arguments;
  /** The arguments with the names and values that the author declares, without discriminator and hints. */
  readonly sent: Arguments;
  /** Set if the profile of the client's list may change the form of the arguments. */
  readonly reading: Reading | undefined;
  /** Names of the arguments that step 3 parsed from JSON text. */
  repairs: readonly string[];
  /** Whether the call has reached step 5, so that a later failure is not a rejection. */
  isAdmitted: boolean;
  /** `context.app`, once `contextFactory` has made it. */
  app: unknown;
  /** Handlers that run for this call. They may outlast it, because concurrent callers share their results. */
  readonly handlers: Promise<unknown>[];
  /** Passes events to the subscribers of the request and to the watchers of the security wrapper. */
  emit: Emit | undefined;
  /** The result of step 6, if an injected security wrapper has received it. */
  result: CallToolResult | undefined;
}

/** Throws if the caller has already cancelled the call. */
export function beginCall(services: Services, { compiled, input, request }: FoundAction): Call {
  const { timeoutMs, outputBudget } = compiled.action;
  const hinted = takeMinifyHint(input, compiled);
  // A timeout needs an abort controller anyway, so the cancellation of the caller is observed as well.
  const signal = request.signal ?? (timeoutMs === undefined ? undefined : request.lazySignal?.());
  const sent = hinted?.args ?? input;
  const reading = request.reading?.read === request.arguments ? request.reading : undefined;
  return {
    request,
    compiled,
    caller: request.caller ?? nobody,
    deadline: timeoutMs === undefined && !signal ? undefined : new Deadline(timeoutMs, signal),
    budget: request.run === undefined ? (outputBudget ?? services.outputBudget) : undefined,
    minify: request.minify ?? hinted?.minify,
    rawArguments: reading?.sent ?? request.arguments ?? sent,
    sent,
    reading: reading?.readMore && reading,
    repairs: none,
    isAdmitted: false,
    app: undefined,
    handlers: [],
    emit: request.emit,
    result: undefined,
  };
}

const none: readonly string[] = Object.freeze([]);

/** Subscribes a watcher of the security wrapper. Its errors are logged and change no result. */
export function watchCall({ logger }: Services, call: Call, watcher: CallWatcher): void {
  call.emit = subscribe(call.emit, (event) => {
    try {
      if (event.kind === 'ended') watcher.end(event.result);
      else if (event.kind === 'failed') watcher.fail(event.thrown);
    } catch (error) {
      logger?.error({ error: redactorFor(call.request, call.app).failure(error) }, 'watcher failed');
    }
  });
}

const minifyHints = ['minify', '_minify', '__minify'] as const;

interface Hinted {
  readonly args: Arguments;
  readonly minify: boolean | undefined;
}

/** Reads and removes the hint `minify` from the arguments, unless the action has an argument of that name. */
function takeMinifyHint(given: Arguments, { schema }: CompiledAction): Hinted | undefined {
  let hinted: Hinted | undefined;
  for (const hint of minifyHints) {
    if (!Object.hasOwn(given, hint) || schema.fieldNames.includes(hint)) continue;
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

/** Fills in the defaults, and tries other forms of arguments that the schema rejects, such as parsed JSON text. */
export function prepareArguments(call: Call): Arguments | Promise<Arguments> {
  const { action, schema } = call.compiled;
  // There is one form of the arguments if the list did not change it and no place may hold JSON text.
  const forms = call.reading || schema.repairs ? readForms(call) : undefined;
  const { resolveDefaults: resolve } = action;
  if (!resolve) return forms ? chooseArguments(call, forms, (args) => args) : call.sent;
  return resolveDefaults(resolve, call).then((defaults) => {
    // Arguments of the caller take precedence, unless they are `undefined`.
    const fill = (args: Arguments): Arguments => {
      if (defaults === undefined) return args;
      const given = Object.entries(args).filter(([, value]) => value !== undefined);
      return { ...defaults, ...Object.fromEntries(given) };
    };
    return forms ? chooseArguments(call, forms, fill) : fill(call.sent);
  });
}

async function resolveDefaults(
  resolve: NonNullable<CompiledAction['action']['resolveDefaults']>,
  call: Call,
): Promise<Arguments | undefined> {
  const { compiled, deadline, request, caller } = call;
  const signal = deadline?.signal ?? request.lazySignal?.() ?? neverSignal();
  // A resolver sees the arguments in the form of the author, so that it can tell which fields are missing.
  const { arguments: rawArguments = {}, accessToken } = request;
  let defaults: unknown;
  try {
    defaults = await resolve({ rawArguments, accessToken, caller, session: sessionOf(request), signal });
  } catch (cause) {
    throw toValidationError(cause);
  }
  if (defaults === undefined || defaults === null) return undefined;
  if (!isJsonObject(defaults)) {
    throw new ErrValidationFailed(
      `Validation failed: the defaults of "${compiled.address}" are not an object.`,
    );
  }
  return defaults;
}

/** A resolver that throws makes the call invalid, because other arguments may help. */
function toValidationError(cause: unknown): ToolfoldError {
  if (cause instanceof ToolfoldError && cause.audience !== 'author') return cause;
  return new ErrValidationFailed(`Validation failed: ${messageOf(cause)}`, { cause });
}

export function createToolContext(services: Services, call: Call): ToolContext {
  const { request, compiled, app, deadline } = call;
  // Not a spread: V8 then keeps a hidden class for each call until the next full garbage collection.
  const context = createRequestContext(request, app, services, deadline) as Writable<ToolContext>;
  context.action = compiled.key;
  context.operation = compiled.operation;
  context.rawArguments = call.rawArguments;
  context.repairs = call.repairs;
  if (request.lazySignal && !deadline) Object.defineProperty(context, 'signal', lazySignal);
  else context.signal = deadline?.signal ?? neverSignal();
  return context;
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
