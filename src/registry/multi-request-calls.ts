import { callerKey, holderKey } from '../callers/caller-key.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import type { Services } from '../engine/services.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { createRoundAsker, RequestState } from '../questions/input-rounds.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import type { AskClient } from '../questions/request-input.js';
import { callAsTask, createTaskMethods, taskRuleOf } from '../tasks/task-calls.js';
import { Tasks } from '../tasks/tasks.js';
import { canonicalJson } from '../values/json-value.js';
import type { View } from '../views/view.js';
import type { MethodHandler } from './mcp-middleware.js';
import type { ToolRegistryOptions } from './registry-options.js';

type Options = Pick<ToolRegistryOptions<never>, 'clock' | 'shared' | 'requestStateKey'>;

/** Calls that take several requests: tasks, which clients poll, and calls that ask the client in rounds. */
export class MultiRequestCalls {
  readonly #services: Services;
  readonly #tasks: Tasks;
  readonly #states: RequestState;

  constructor(services: Services, { clock, shared, requestStateKey }: Options) {
    this.#services = services;
    this.#tasks = new Tasks(clock, shared?.shareTasks());
    this.#states = new RequestState({ key: requestStateKey ?? shared?.requestStateKey, clock });
  }

  /** Runs a call as a task if its action is declared as one and the client supports tasks. */
  run(
    request: ExecuteRequest,
    view: View,
    execute: (request: ExecuteRequest) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const rule = taskRuleOf(view, request);
    if (!rule) return execute(request);
    const owner = this.#services.keyOf(holderKey, request);
    const payer = this.#services.payerOf(callerKey, request);
    return callAsTask(rule, { tasks: this.#tasks, owner, payer }, request, execute);
  }

  /** The methods of the tasks extension. */
  taskMethods(): Readonly<Record<string, MethodHandler>> {
    return createTaskMethods(this.#tasks.desk, (request) => this.#services.keyOf(holderKey, request));
  }

  /** Asks a client without a connection: the questions are the answer to its request. */
  askInRounds(request: Omit<RoundsRequest, 'holder'>, options: RequestOptions): AskClient {
    // The holder includes the selection, because another selection may have a different tool of the same name.
    const holder = (): string =>
      `${this.#services.keyOf(holderKey, options)}${options.selection ? canonicalJson(options.selection) : ''}`;
    return createRoundAsker(this.#states, { ...request, holder });
  }
}
