/**
 * Every call of a tool runs through these steps. The functions below are in their order, except that 3 and 4 are called by the
 * security wrapper:
 *
 *   1 find → 2 admit → 3 prepare → 4 validate → 5 run → 6 shape
 *
 * An error in any of them goes to 7 error. The scopes of step 2 are always checked here. The rate limit of step 2 and the steps 3
 * and 4 belong to the security wrapper, which the author of a server can replace: `security-wrapper.ts` has the default.
 */
import { callerKey } from '../callers/caller-key.js';
import type { CompiledTool } from '../compile/compiled-tool.js';
import { drain, isAsyncGenerator } from '../compile/middleware-compiler.js';
import { ErrCancelled, ErrInvalidResult, ErrNextCalledTwice, ToolfoldError } from '@toolfold/schema/errors';
import { isInputRequired } from '../protocol/input-required.js';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { beginCall, createToolContext, prepareArguments, watchCall } from './call.js';
import type { Call } from './call.js';
import { logFailure, toErrorResult } from './call-errors.js';
import { warnFormerName } from '../guards/log/former-names.js';
import { onlyWaits } from './call-limits.js';
import type { FairQueue } from '../callers/fair-queue.js';
import { findAction, findMount, followForward, missingScope } from './find-action.js';
import type { ExecuteRequest } from './request.js';
import { stepEvents, subscribe } from './events/call-events.js';
import { emitFault, redactorFor, secretsOf } from './request-context.js';
import { assertAwaited, unawaited } from '../questions/request-input.js';
import type { SecuredCall } from './security-wrapper.js';
import type { CallRecord, Observe, Services } from './services.js';
import { codeFormatter, shapeOutput } from './shape-output.js';
import { wrapHandler } from './wrap-handler.js';

type Arguments = Readonly<Record<string, unknown>>;
type Tools = ReadonlyMap<string, CompiledTool>;

/** Runs one call. Never rejects: every failure becomes a result. */
export function runCall(services: Services, tools: Tools, request: ExecuteRequest): Promise<CallToolResult> {
  const { observe } = services;
  return observe ? runObserved(observe, services, tools, request) : runSteps(services, tools, request);
}

async function runSteps(services: Services, tools: Tools, request: ExecuteRequest): Promise<CallToolResult> {
  const { emit } = request;
  let called = request;
  let address: string | undefined;
  let call: Call | undefined;
  try {
    // 1 find
    emit?.(stepEvents.find);
    const found = findAction(tools, request);
    if (found instanceof ToolfoldError) {
      // A mounted registry answers all calls of its tools, also of unknown actions.
      const { tools: reached, call: forwarded } = followForward(tools, request);
      const mount = findMount(reached, forwarded);
      return await (mount ? mount.run(reached, forwarded) : fail(services, request, found));
    }
    const { compiled } = found;
    // From here on, a call through a profile or the search form is the call to which it is forwarded.
    called = found.request;
    address = compiled.address;
    if (found.former !== undefined) warnFormerName(services, found.former, address);
    emit?.({ kind: 'found', tool: called.name, address, action: compiled.key });
    // A mounted registry runs the calls of its actions with its own middleware, limits and context.
    if (compiled.mounted) return await compiled.mounted.mount.run(found.tools, called);
    // 2 admit: the scopes here, the rate limit in the security wrapper
    emit?.(stepEvents.admit);
    const missing = compiled.action.scopes.length > 0 ? missingScope(compiled, called.caller) : undefined;
    if (missing) return await fail(services, called, missing, address);
    const begun = (call = beginCall(services, found));
    const { responseFormatter, ownFormatter } = services;
    const result = await responseFormatter.runWithMinifyOverride(begun.minify, () =>
      guardAndShape(services, begun),
    );
    if (!ownFormatter && !isResult(result))
      throw new ErrInvalidResult('The response formatter returned no result.');
    begun.emit?.({ kind: 'ended', result });
    return result;
  } catch (thrown) {
    return await fail(services, called, thrown, address, call);
  } finally {
    call?.deadline?.end();
  }
}

/** Steps 2 to 6. The security wrapper validates the arguments and passes them to step 5, or returns a result itself. */
async function guardAndShape(services: Services, call: Call): Promise<CallToolResult> {
  const { request, compiled, deadline } = call;
  deadline?.arm();
  const { operation, namespace = services.namespace, schema } = compiled;
  const secure = services.withSecurityWrapper(namespace, operation, schema);
  const secured: SecuredCall = {
    address: compiled.address,
    caller: call.caller,
    accessToken: request.accessToken,
    clientId: request.clientId,
    run: request.run,
    rawArguments: call.rawArguments,
    cost: compiled.action.cost ?? 1,
    signal: deadline?.signal,
    hasMore: request.meta !== undefined || request.sdk !== undefined || request.session !== undefined,
    secrets: () => secretsOf(request, call.app),
    watch: (watcher) => watchCall(services, call, watcher),
    // 3 prepare
    arguments: () => {
      call.emit?.(stepEvents.prepare);
      const prepared = prepareArguments(call);
      // 4 validate
      if (!(prepared instanceof Promise)) {
        call.emit?.(stepEvents.validate);
        return prepared;
      }
      return prepared.then((input) => {
        call.emit?.(stepEvents.validate);
        return input;
      });
    },
  };
  const guarded = secure(secured, (input) => runAdmitted(services, call, input));
  // Step 5 watches the deadline itself, so that the wrapper sees the handler's timeout or cancellation.
  const value = await (deadline ? deadline.race(guarded, () => call.isAdmitted) : guarded);
  if (!call.isAdmitted) {
    if (value instanceof ToolfoldError) throw value;
    if (value === undefined)
      throw new ErrInvalidResult('The security wrapper neither ran the call nor answered it.');
  }
  return call.result !== undefined && value === call.result ? call.result : shape(services, call, value);
}

/** 5 run. Throws if a security wrapper runs the call twice. */
function runAdmitted(services: Services, call: Call, input: Arguments): unknown {
  if (call.isAdmitted) {
    throw new ErrNextCalledTwice('A security wrapper ran the call twice.', {
      hint: 'Keep the result of the first run.',
    });
  }
  call.isAdmitted = true;
  const running = run(services, call, input);
  const value = call.deadline ? call.deadline.race(running) : running;
  if (!services.isInjectedWrapper) return value;
  // An injected wrapper sees the result that the client gets.
  const shaped = value.then(async (settled) => {
    call.result = await shape(services, call, settled);
    call.emit?.({ kind: 'step', step: undefined });
    return call.result;
  });
  // A wrapper that does not await the run must not cause an unhandled rejection.
  shaped.catch(() => undefined);
  return shaped;
}

/** Waits for a slot of the concurrency limit and for `context.app`, then runs the handler. */
async function run(services: Services, call: Call, input: Arguments): Promise<unknown> {
  const { concurrency, contextFactory } = services;
  const { compiled, deadline, handlers, request } = call;
  if (deadline?.signal?.aborted) throw new ErrCancelled();
  call.emit?.(stepEvents.run);
  // Time spent waiting for a slot does not count towards the timeout.
  if (concurrency) deadline?.disarm();
  // A call that only waits for other calls could hold the last slot, which its own calls need.
  const needsSlot = concurrency && !onlyWaits(compiled.action.handler);
  const release = needsSlot && (await enter(concurrency, services, request, deadline?.signal));
  deadline?.arm();
  try {
    if (contextFactory) {
      call.app = await contextFactory(request);
      if (deadline?.signal?.aborted) throw new ErrCancelled();
    }
    const context = createToolContext(services, call);
    const wrap = compiled.isWrapped ? wrapHandler(services, call) : undefined;
    const value = compiled.run({ input, context }, wrap);
    const result = await (typeof value === 'object' && isAsyncGenerator(value)
      ? drain(value, context)
      : value);
    if (unawaited.has(request)) assertAwaited(request, `The handler of "${compiled.address}"`);
    return result;
  } finally {
    // A cancelled call keeps its slot until its handlers end, because they still use the resources that it limits.
    if (release) void Promise.allSettled(handlers).then(release);
  }
}

/** Waits for a slot, which callers share. Clients that are anonymous at one address share what one caller gets. */
function enter(
  concurrency: FairQueue,
  { payerOf }: Services,
  request: ExecuteRequest,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const { sessionId, client } = request.caller ?? {};
  return concurrency.enter(payerOf(callerKey, request), signal, sessionId ?? client?.name);
}

/** 6 shape: turns the handler's value into a result. */
function shape(services: Services, call: Call, value: unknown): CallToolResult | Promise<CallToolResult> {
  const { action, schema } = call.compiled;
  call.emit?.(stepEvents.shape);
  return shapeOutput(value, {
    action,
    schema,
    formatter: call.request.run === undefined ? services.responseFormatter : codeFormatter,
    minify: services.ownFormatter ? call.minify : undefined,
    budget: call.budget,
    structuredText: {
      form: action.structuredText ?? services.structuredText,
      readers: services.structuredReaders,
      request: call.request,
    },
    redactor: () => redactorFor(call.request, call.app),
  });
}

/** 7 error: turns every error into a result. */
function fail(
  services: Services,
  request: ExecuteRequest,
  thrown: unknown,
  address?: string,
  call?: Call,
): CallToolResult | Promise<CallToolResult> {
  const { emit } = call ?? request;
  emit?.({ kind: 'failed', thrown });
  if (isInputRequired(thrown)) return { content: [], ...thrown.toResult() };
  emit?.(stepEvents.error);
  // The default security wrapper logs the calls that it sees; all other failures are logged here.
  if (!call || services.isInjectedWrapper) logFailure(thrown, services, request, { address, app: call?.app });
  emitFault(thrown, request, services, address, call?.app);
  return toErrorResult(thrown, services, request, {
    address,
    app: call?.app,
    isAdmitted: call?.isAdmitted,
    budget: call?.budget,
    fieldNames: call && fieldNamesOf(call),
  });
}

/** The names of the arguments; none if their schema cannot be converted, which is then the error of the call. */
function fieldNamesOf({ compiled }: Call): readonly string[] {
  try {
    return compiled.schema.fieldNames;
  } catch {
    return [];
  }
}

/** Runs a call under the observer of the registry. Errors of the observer are logged and change no result. */
async function runObserved(
  observe: Observe,
  services: Services,
  tools: Tools,
  request: ExecuteRequest,
): Promise<CallToolResult> {
  const record: CallRecord = {};
  const emit = subscribe(request.emit, (event) => {
    if (event.kind !== 'found' || record.address !== undefined) return;
    const { tool, address, action } = event;
    Object.assign(record, { tool, address, action });
  });
  let running: Promise<CallToolResult> | undefined;
  const start = (): Promise<CallToolResult> => (running ??= runSteps(services, tools, { ...request, emit }));
  try {
    await observe({ request, record }, start);
  } catch (error) {
    services.logger?.error({ error: redactorFor(request).failure(error) }, 'observer failed');
  }
  return start();
}
