import type { Client } from '@modelcontextprotocol/client';
import type { InputOf, OutputOf, Step, Steps } from 'toolfold/internal';
import type {
  AnyRegistry,
  CallToolResult,
  LoggingLevel,
  ToolsOf,
  TypedAction,
  TypedCall,
  TypedCaller,
} from 'toolfold';
import type { McpTool } from '@toolfold/profiles';
import type { AskedQuestion } from './answers.js';
import type { TestProgress } from './test-call.js';
import type { TaskState } from './test-task.js';

/** Controls one call of a test client. */
export interface TestCallOptions {
  /** Cancels the call when it aborts. Default: none. */
  readonly signal?: AbortSignal;
  /** Called with each progress report of the handler. Default: none. */
  readonly onProgress?: (progress: TestProgress) => void;
  /** Whether the client supports tasks in this call. A task is polled to its end. Default: false. */
  readonly task?: boolean;
}

/** A call that was started and may still be running. */
export interface StartedCall<Result = CallToolResult> {
  /** Resolves to the result of the call. Rejects with `ErrCancelled` after `cancel()`. */
  readonly result: Promise<Result>;
  /** Collects the progress reports in their order. */
  readonly progress: readonly TestProgress[];
  /** Cancels the call. Resolves when the server has aborted the signal of the handler. */
  cancel(): Promise<void>;
}

/** A task that the server runs for a call. */
export interface StartedTask<Result = CallToolResult> {
  /** Identifies the task in requests of the tasks extension. */
  readonly id: string;
  /** Sends one `tasks/get` request. Rejects if the task has expired. */
  get(): Promise<TaskState>;
  /** Polls until the task has ended, and answers its questions. Rejects with `ErrCancelled` after `cancel()`. */
  result(): Promise<Result>;
  /** Cancels the task. Resolves when the server has aborted the signal of the handler. */
  cancel(): Promise<void>;
}

/** A log message that a handler sent to the client. */
export interface TestLog {
  /** The severity of the message. */
  readonly level: LoggingLevel;
  /** What the handler logged: text or data. */
  readonly data: unknown;
  /** Names the logger, if the handler did. */
  readonly logger?: string | undefined;
}

/** The paths of the actions that the type of a registry knows, such as `users.list`. */
type PathsOf<R> = Steps<ToolsOf<R>>['path'];

/** The action of a path, or `never` for a name that TypeScript does not know, such as a variable. */
type StepAt<R, Name> = string extends Name ? never : Extract<Steps<ToolsOf<R>>, { readonly path: Name }>;

/** A path that the type of the registry knows, or the name or address of any other tool. */
export type TestCallName<R> = PathsOf<R> | (string & {});

/** The input and the options of a call. The input is typed if the type of the registry knows the action. */
export type TestCallArguments<R, Name, Options> = [StepAt<R, Name>] extends [never]
  ? [input?: Readonly<Record<string, unknown>>, options?: Options]
  : StepAt<R, Name> extends Step<string, infer Action extends TypedAction, infer Common>
    ? Parameters<TypedCall<InputOf<Action, Common>, unknown, Options>>
    : never;

/** The result of a call. `structuredContent` is typed if the action has an output schema. */
export type TestResult<R, Name> = [StepAt<R, Name>] extends [never]
  ? CallToolResult
  : StepAt<R, Name> extends Step<string, infer Action extends TypedAction, unknown>
    ? OutputOf<Action> extends CallToolResult
      ? CallToolResult
      : CallToolResult & { readonly structuredContent?: OutputOf<Action> }
    : CallToolResult;

/** A client of a registry for tests, which records what the server sends. */
export interface TestClient<R = AnyRegistry> {
  /** A function for each action: `client.tools.users.list(input)` resolves to its data, and rejects if the call fails. */
  readonly tools: TypedCaller<ToolsOf<R>, TestCallOptions>;
  /** The official client, for everything that has no shortcut here: prompts, resources, single requests. */
  readonly sdk: Client;
  /** Collects the questions of handlers, with the answers that they got. */
  readonly questions: readonly AskedQuestion[];
  /** The log messages of handlers so far. */
  readonly logs: readonly TestLog[];
  /** The errors that the server reported to its `onError`. Clients do not see them. */
  readonly errors: readonly unknown[];
  /**
   * Calls a tool or an action: `users.list`, `users/list`, or the name of a listed tool. A failed call is a result with
   * `isError`. Rejects if the tool is unknown, a question has no answer, or the call is cancelled.
   */
  call<const Name extends TestCallName<R>>(
    name: Name,
    ...args: TestCallArguments<R, Name, TestCallOptions>
  ): Promise<TestResult<R, Name>>;
  /** Starts a call and returns at once, so that a test can cancel it or watch its progress. */
  start<const Name extends TestCallName<R>>(
    name: Name,
    ...args: TestCallArguments<R, Name, TestCallOptions>
  ): StartedCall<TestResult<R, Name>>;
  /** Starts a call as a task. Rejects if the server answers without a task. */
  startTask<const Name extends TestCallName<R>>(
    name: Name,
    ...args: TestCallArguments<R, Name, Omit<TestCallOptions, 'task'>>
  ): Promise<StartedTask<TestResult<R, Name>>>;
  /** Lists the tools that the client sees. */
  listTools(): Promise<readonly McpTool[]>;
  /** Ends the connection. A handler that was passed to `createTestClient` stays open. */
  close(): Promise<void>;
  /** Ends the connection at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
