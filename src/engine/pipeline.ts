/**
 * Every call of a tool runs through these steps. The functions below are in their order, except that 3 and 4 are called by the
 * security wrapper:
 *
 *   1 find → 2 admit → 3 prepare → 4 validate → 5 run → 6 shape
 *
 * An error in any of them goes to 7 error. The scopes of step 2 are always checked here. The rate limit of step 2 and the steps 3
 * and 4 belong to the security wrapper, which the author of a server can replace: `security-wrapper.ts` has the default.
 */
import type { CompiledTool } from '../compile/compiled-tool.js';
import { drain, isAsyncGenerator } from '../compile/middleware-compiler.js';
import { ErrCancelled, ErrInvalidResult, ErrNextCalledTwice, ToolfoldError } from '../errors.js';
import { isInputRequired } from '../protocol/input-required.js';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { beginCall, createToolContext, prepareArguments } from './call.js';
import type { Call } from './call.js';
import { logFailure, toErrorResult } from './call-errors.js';
import { warnFormerName } from '../guards/log/former-names.js';
import { onlyWaits } from './call-limits.js';
import { findAction, findMount, followForward, missingScope } from './find-action.js';
import type { ExecuteRequest } from './request.js';
import { redactorFor, reportFault, secretsOf } from './request-context.js';
import type { CallWatcher, SecuredCall } from './security-wrapper.js';
import type { CallRecord, Services } from './services.js';
import { codeFormatter, shapeOutput } from './shape-output.js';
import { wrapHandler } from './wrap-handler.js';

type Arguments = Readonly<Record<string, unknown>>;
type Tools = ReadonlyMap<string, CompiledTool>;

/** Runs one call. Never rejects: every failure becomes a result. */
export async function runCall(
  services: Services,
  tools: Tools,
  request: ExecuteRequest,
  record?: CallRecord,
): Promise<CallToolResult> {
  if (services.observe && !record) return runObserved(services, tools, request);
  const { trace } = request;
  let called = request;
  let address: string | undefined;
  let call: Call | undefined;
  try {
    // 1 find
    trace?.begin('find');
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
    if (record) Object.assign(record, { tool: called.name, address, action: compiled.key });
    if (trace) trace.address ??= address;
    // A mounted registry runs the calls of its actions with its own middleware, limits and context.
    if (compiled.mounted) return await compiled.mounted.mount.run(found.tools, called);
    // 2 admit: the scopes here, the rate limit in the security wrapper
    trace?.begin('admit');
    const missing = compiled.action.scopes.length > 0 ? missingScope(compiled, called.caller) : undefined;
    if (missing) return await fail(services, called, missing, address);
    const begun = (call = beginCall(services, found));
    const { responseFormatter, ownFormatter } = services;
    // No call has set `minify` yet, so there is nothing to override.
    const result = await (begun.minify === undefined && ownFormatter?.isOverridden === false
      ? guardAndShape(services, begun)
      : responseFormatter.runWithMinifyOverride(begun.minify, () => guardAndShape(services, begun)));
    if (!ownFormatter && !isResult(result))
      throw new ErrInvalidResult('The response formatter returned no result.');
    if (begun.watchers.length > 0) tell(services, begun, (watcher) => watcher.end(result));
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
  const { trace } = request;
  deadline?.arm();
  const { operation, namespace = services.namespace, schema } = compiled;
  const secure = services.withSecurityWrapper(namespace, operation, schema);
  const secured: SecuredCall = {
    address: compiled.address,
    caller: call.caller,
    accessToken: request.accessToken,
    clientId: request.clientId,
    run: request.run,
    rawArguments: request.arguments ?? call.sent,
    cost: compiled.action.cost ?? 1,
    signal: deadline?.signal,
    hasMore: request.meta !== undefined || request.sdk !== undefined || request.session !== undefined,
    secrets: () => secretsOf(request, call.app),
    watch: (watcher) => void call.watchers.push(watcher),
    // 3 prepare
    arguments: () => {
      trace?.begin('prepare');
      const prepared = compiled.isPrepared ? prepareArguments(call) : call.sent;
      return trace ? trace.beginAfter(prepared, 'validate') : prepared;
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
  call.request.trace?.begin('run');
  const { concurrency, contextFactory, isInjectedWrapper } = services;
  // Fast path: a call that waits for nothing runs its handler at once, which saves a tenth of its cost in process.
  if (!call.deadline && !concurrency && !contextFactory && !isInjectedWrapper) {
    call.request.onAdmitted?.();
    return runHandler(services, call, input);
  }
  const running = run(services, call, input);
  const value = call.deadline ? call.deadline.race(running) : running;
  if (!isInjectedWrapper) return value;
  // An injected wrapper sees the result that the client gets.
  const shaped = value.then(async (settled) => {
    call.result = await shape(services, call, settled);
    call.request.trace?.pause();
    return call.result;
  });
  // A wrapper that does not await the run must not cause an unhandled rejection.
  shaped.catch(() => undefined);
  return shaped;
}

/** Waits for a slot of the concurrency limit and for `context.app`, then runs the handler. */
async function run(services: Services, call: Call, input: Arguments): Promise<unknown> {
  const { concurrency, contextFactory } = services;
  const { deadline, handlers, request } = call;
  if (deadline?.signal?.aborted) throw new ErrCancelled();
  request.onAdmitted?.();
  // Time spent waiting for a slot does not count towards the timeout.
  if (concurrency) deadline?.disarm();
  // A call that only waits for other calls could hold the last slot, which its own calls need.
  const needsSlot = concurrency && !onlyWaits(call.compiled.action.handler);
  const release = needsSlot && (await concurrency.acquire(deadline?.signal));
  deadline?.arm();
  try {
    if (contextFactory) {
      call.app = await contextFactory(request);
      if (deadline?.signal?.aborted) throw new ErrCancelled();
    }
    return await runHandler(services, call, input);
  } finally {
    // A cancelled call keeps its slot until its handlers end, because they still use the resources that it limits.
    if (release) void Promise.allSettled(handlers).then(release);
  }
}

/** Runs the middleware and the handler. */
function runHandler(services: Services, call: Call, input: Arguments): unknown {
  const { compiled } = call;
  const context = createToolContext(services, call);
  // Only an action with `cached`, `invalidates`, `idempotency` or `retry` needs a wrapper, so a plain action pays for none.
  const wrap = compiled.isWrapped ? wrapHandler(services, call) : undefined;
  const value = compiled.run({ input, context }, wrap);
  return typeof value === 'object' && isAsyncGenerator(value) ? drain(value, context) : value;
}

/** 6 shape: turns the handler's value into a result. */
function shape(services: Services, call: Call, value: unknown): CallToolResult | Promise<CallToolResult> {
  const { action, schema } = call.compiled;
  call.request.trace?.begin('shape');
  // Fast path: most handlers return text, which needs no formatter.
  if (typeof value === 'string' && !action.output && !call.budget)
    return { content: [{ type: 'text', text: value }] };
  return shapeOutput(value, {
    action,
    fieldNames: schema.fieldNames,
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
  if (call) tell(services, call, (watcher) => watcher.fail(thrown));
  if (isInputRequired(thrown)) return { content: [], ...thrown.toResult() };
  request.trace?.begin('error');
  // The default security wrapper logs the calls that it sees; all other failures are logged here.
  if (!call || services.isInjectedWrapper) logFailure(thrown, services, request, { address, app: call?.app });
  reportFault(thrown, request, services, address, call?.app);
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

/** Tells the watchers how the call ended. Their errors are logged and change no result. */
function tell(services: Services, call: Call, notify: (watcher: CallWatcher) => void): void {
  try {
    call.watchers.forEach(notify);
  } catch (error) {
    const redactor = redactorFor(call.request, call.app);
    services.logger?.error({ error: redactor.failure(error) }, 'watcher failed');
  }
}

/** Runs a call under the observer of the registry. Errors of the observer are logged and change no result. */
async function runObserved(
  services: Services,
  tools: Tools,
  request: ExecuteRequest,
): Promise<CallToolResult> {
  const record: CallRecord = {};
  let running: Promise<CallToolResult> | undefined;
  const start = (): Promise<CallToolResult> => (running ??= runCall(services, tools, request, record));
  try {
    await services.observe?.({ request, record }, start);
  } catch (error) {
    services.logger?.error({ error: redactorFor(request).failure(error) }, 'observer failed');
  }
  return start();
}
