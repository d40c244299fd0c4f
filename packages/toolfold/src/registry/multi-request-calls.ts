import { callerKey, holderKey } from '../callers/caller-key.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import type { Services } from '../engine/services.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { createRoundAsker, RequestState } from '../questions/input-rounds.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import { callAsTask, createTaskMethods, taskRuleOf } from '../tasks/task-calls.js';
import { Tasks } from '../tasks/tasks.js';
import { canonicalJson } from '@toolfold/schema/internal';
import type { View } from '../views/view.js';
import type { ToolRegistryOptions } from './registry-options.js';

type Options = Pick<ToolRegistryOptions<never>, 'clock' | 'shared' | 'store' | 'requestStateKey'>;

/** Calls that take several requests: tasks, which clients poll, and calls that ask the client in rounds. */
export function createMultiRequestCalls(
  services: Services,
  { clock, shared, store, requestStateKey }: Options,
) {
  const tasks = new Tasks(clock, shared?.shareTasks());
  const states = new RequestState({ key: requestStateKey ?? shared?.requestStateKey, clock });
  const kept = store && store.evicts !== true ? store : shared?.records;
  const usedStates = kept ?? new MemoryStore(clock ? { clock } : {});
  const ownerOf = (request: RequestOptions): string => services.keyOf(holderKey, request);
  return {
    /** Runs a call as a task if its action is declared as one and the client supports tasks. */
    run(
      request: ExecuteRequest,
      view: View,
      execute: (request: ExecuteRequest) => Promise<CallToolResult>,
    ): Promise<CallToolResult> {
      const rule = taskRuleOf(view, request);
      if (!rule) return execute(request);
      const payer = services.payerOf(callerKey, request);
      return callAsTask(rule, { tasks, owner: ownerOf(request), payer }, request, execute);
    },
    taskMethods: () => createTaskMethods(tasks.desk, ownerOf),
    askInRounds: (request: Omit<RoundsRequest, 'holder'>, options: RequestOptions) => {
      // The holder includes the selection, because another selection may have a different tool of the same name.
      const holder = (): string =>
        `${ownerOf(options)}${options.selection ? canonicalJson(options.selection) : ''}`;
      return createRoundAsker(states, { ...request, holder }, usedStates);
    },
  };
}
