import type { TaskRule } from '../define/tool-definition.js';
import { ErrMissingCapability } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { subscribe } from '../engine/events/call-events.js';
import type { McpRequest, ExecuteRequest, RequestOptions } from '../engine/request.js';
import { isModern } from '../protocol/mcp-types.js';
import type { AskClient } from '../questions/request-input.js';
import { TASKS_EXTENSION } from './tasks.js';
import type { TaskDesk } from '../stores/contracts.js';
import type { RunningTask, Tasks } from './tasks.js';
import type { View } from '../views/view.js';

/**
 * Milliseconds in which a call with `input: 'before'` may ask its first question directly. After that it becomes a
 * task.
 */
const BEFORE_TASK_MS = 100;

/** The task rule of the action that a call names; `undefined` if the action cannot run as a task. */
export function taskRuleOf(
  { tools }: Pick<View, 'tools'>,
  { name, arguments: args = {}, meta }: ExecuteRequest,
): TaskRule | undefined {
  const tool = tools.get(name);
  if (!tool) return undefined;
  if (tool.forward) {
    const to = isJsonObject(args) ? tool.forward(args, meta) : undefined;
    return typeof to === 'object' ? taskRuleOf(to, { ...to, meta }) : undefined;
  }
  const key = tool.discriminator === undefined ? '' : args?.[tool.discriminator];
  return typeof key === 'string' ? tool.actions.get(key)?.action.task : undefined;
}

/**
 * Runs a call as a task if the client supports tasks. A call that is rejected before its handler runs, for example for
 * invalid arguments, is answered without a task.
 */
export async function callAsTask(
  rule: TaskRule,
  { tasks, owner, payer = owner }: { readonly tasks: Tasks; readonly owner: string; readonly payer?: string },
  request: ExecuteRequest,
  execute: (request: ExecuteRequest) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const capabilities = request.caller?.capabilities;
  if (!supportsTasks(request)) {
    if (rule.required === true) throw missingTasks();
    return execute(request);
  }
  let task: RunningTask | undefined;
  let promote: () => void;
  const promoted = new Promise<void>((resolve) => {
    promote = resolve;
  });
  let isUnshared = false;
  const start = (): void => {
    if (task || isUnshared) return;
    task = tasks.create(owner, rule, capabilities, payer);
    promote();
  };
  /** Turns a running call into a task. If there is no room for a task, the request stays open until the call is done. */
  const startLate = (): void => {
    if (tasks.hasRoomFor(payer)) start();
  };
  const isBefore = rule.input === 'before';
  // The caller can cancel its request until the call has become a task.
  const controller = new AbortController();
  const cancelCall = (): void => {
    if (!task || isUnshared) controller.abort();
  };
  const callerSignal = request.signal ?? request.lazySignal?.();
  callerSignal?.addEventListener('abort', cancelCall, { once: true });
  if (callerSignal?.aborted) cancelCall();
  const askOnce: AskClient = async (questions, memo) => {
    if (task && !isUnshared) return task.ask(questions);
    const answers = await request.ask?.(questions, memo);
    if (answers) startLate();
    return answers;
  };
  const ask = request.ask?.earlier ? Object.assign(askOnce, { earlier: request.ask.earlier }) : askOnce;
  const executed = execute({
    ...request,
    signal: controller.signal,
    progress: async (...report) => (isUnshared ? request.progress?.(...report) : task?.progress(...report)),
    ask,
    log: undefined,
    emit: subscribe(request.emit, (event) => {
      if (!isBefore && event.kind === 'step' && event.step === 'run') start();
    }),
  });
  const running = executed.finally(() => callerSignal?.removeEventListener('abort', cancelCall));
  const timer = isBefore ? setTimeout(startLate, BEFORE_TASK_MS) : undefined;
  const early = await Promise.race([running, promoted]).finally(() => clearTimeout(timer));
  const started = task as RunningTask | undefined;
  if (!started) return early as CallToolResult;
  const announced = started.announce();
  // If the task cannot be written to the store, the request stays open until the call is done, because the client may
  // ask any process about its task.
  if (!(await tasks.share(started))) {
    isUnshared = true;
    started.cancel();
    if (callerSignal?.aborted) cancelCall();
    return running;
  }
  started.signal.addEventListener('abort', () => controller.abort(), { once: true });
  void running.then((result) => started.finish(result));
  return { resultType: 'task', ...announced } as unknown as CallToolResult;
}

/** Creates the methods `tasks/get`, `tasks/update` and `tasks/cancel`. Each caller reaches only its own tasks. */
export function createTaskMethods(
  tasks: TaskDesk,
  ownerOf: (request: McpRequest) => string,
): Record<string, (request: McpRequest) => Promise<unknown>> {
  const serve =
    (answer: (owner: string, params: McpRequest['params']) => object | Promise<object>) =>
    async (request: McpRequest): Promise<unknown> => {
      if (!supportsTasks(request)) throw missingTasks();
      return answer(ownerOf(request), request.params);
    };
  return {
    'tasks/get': serve((owner, { taskId }) => tasks.get(owner, taskId)),
    'tasks/update': serve(async (owner, { taskId, inputResponses }) => {
      await tasks.update(owner, taskId, inputResponses);
      return {};
    }),
    'tasks/cancel': serve(async (owner, { taskId }) => {
      await tasks.cancel(owner, taskId);
      return {};
    }),
  };
}

/** Whether the client supports tasks. The extension needs 2026-07-28, because older clients cannot poll a task. */
function supportsTasks({ protocolVersion, caller }: RequestOptions): boolean {
  const extensions = caller?.capabilities?.['extensions'];
  return isModern(protocolVersion) && isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]);
}

function missingTasks(): ErrMissingCapability {
  return new ErrMissingCapability(`Missing required client capability: ${TASKS_EXTENSION}`, {
    details: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  });
}
