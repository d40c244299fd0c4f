import type { TaskRule } from '../define/tool-definition.js';
import { ErrMissingCapability } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { isJsonObject } from '../values/json-value.js';
import type { McpRequest, ExecuteRequest, RequestOptions } from '../engine/request.js';
import { isModern } from '../protocol/versions.js';
import type { AskClient } from '../questions/request-input.js';
import { TASKS_EXTENSION } from './tasks.js';
import type { TaskDesk } from '../stores/shared.js';
import type { RunningTask, Tasks } from './tasks.js';
import type { View } from '../views/view.js';

/** How long a call that asks before it becomes a task may take without asking. */
const PATIENCE_MS = 100;

/** The rule of the action that a call names, where it has one. */
export function taskRuleOf(
  { tools }: Pick<View, 'tools'>,
  { name, arguments: args }: ExecuteRequest,
): TaskRule | undefined {
  const tool = tools.get(name);
  if (!tool) return undefined;
  if (tool.forward) {
    const to = isJsonObject(args) ? tool.forward(args) : undefined;
    return typeof to === 'object' ? taskRuleOf(to, to) : undefined;
  }
  const key = tool.discriminator === undefined ? '' : args?.[tool.discriminator];
  return typeof key === 'string' ? tool.actions.get(key)?.action.task : undefined;
}

/**
 * Runs a call as a task where the client takes tasks. What is refused before the handler runs, such as wrong
 * arguments, is answered at once.
 */
export async function callAsTask(
  rule: TaskRule,
  { tasks, owner, payer = owner }: { readonly tasks: Tasks; readonly owner: string; readonly payer?: string },
  request: ExecuteRequest,
  execute: (request: ExecuteRequest) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const capabilities = request.caller?.capabilities;
  if (!takesTasks(request)) {
    if (rule.required === true) throw missingTasks();
    return execute(request);
  }
  let task: RunningTask | undefined;
  let promote: () => void;
  const promoted = new Promise<void>((resolve) => {
    promote = resolve;
  });
  let isRefused = false;
  const start = (): void => {
    if (task || isRefused) return;
    task = tasks.create(owner, rule, capabilities, payer);
    promote();
  };
  /** What runs already is answered when it is done where there is no room for a task. */
  const startLate = (): void => {
    if (tasks.hasRoomFor(payer)) start();
  };
  const isBefore = rule.input === 'before';
  // Until there is a task, whoever called may give up.
  const controller = new AbortController();
  const giveUp = (): void => {
    if (!task || isRefused) controller.abort();
  };
  const callerSignal = request.signal ?? request.lazySignal?.();
  callerSignal?.addEventListener('abort', giveUp, { once: true });
  if (callerSignal?.aborted) giveUp();
  const ask: AskClient = async (questions) => {
    if (task && !isRefused) return task.ask(questions);
    const answers = await request.ask?.(questions);
    if (answers) startLate();
    return answers;
  };
  const running = execute({
    ...request,
    signal: controller.signal,
    progress: async (...report) => (isRefused ? request.progress?.(...report) : task?.progress(...report)),
    ask,
    log: undefined,
    onAdmitted: () => {
      if (!isBefore) start();
    },
  });
  const timer = isBefore ? setTimeout(startLate, PATIENCE_MS) : undefined;
  const early = await Promise.race([running, promoted]).finally(() => {
    clearTimeout(timer);
    callerSignal?.removeEventListener('abort', giveUp);
  });
  const started = task as RunningTask | undefined;
  if (!started) return early as CallToolResult;
  const announced = started.announce();
  // What other processes cannot be told of is answered when it is done: a client may ask any of them.
  if (!(await tasks.share(started))) {
    isRefused = true;
    started.cancel();
    callerSignal?.addEventListener('abort', giveUp, { once: true });
    if (callerSignal?.aborted) giveUp();
    return running.finally(() => callerSignal?.removeEventListener('abort', giveUp));
  }
  started.signal.addEventListener('abort', () => controller.abort(), { once: true });
  void running.then((result) => started.finish(result));
  return { resultType: 'task', ...announced } as unknown as CallToolResult;
}

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for the callers whose tasks they are. */
export function createTaskMethods(
  tasks: TaskDesk,
  ownerOf: (request: McpRequest) => string,
): Record<string, (request: McpRequest) => Promise<unknown>> {
  const serve =
    (answer: (owner: string, params: McpRequest['params']) => object | Promise<object>) =>
    async (request: McpRequest): Promise<unknown> => {
      if (!takesTasks(request)) throw missingTasks();
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

/** The extension is one of 2026-07-28: an older client could not ask about a task. */
function takesTasks({ protocolVersion, caller }: RequestOptions): boolean {
  const extensions = caller?.capabilities?.['extensions'];
  return isModern(protocolVersion) && isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]);
}

function missingTasks(): ErrMissingCapability {
  return new ErrMissingCapability(`Missing required client capability: ${TASKS_EXTENSION}`, {
    details: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  });
}
