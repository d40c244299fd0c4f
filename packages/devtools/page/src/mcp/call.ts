import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { McpTool } from '../../../src/page-api.js';
import { isRecord } from '../sections/try/form/json.js';
import { ExactNumber, writeJson } from '../ui/json/exact-number.js';
import type { Endpoint } from './endpoint.js';
import { MessageLog } from './wire/message-log.js';
import type { RecordedMessage } from './wire/message-log.js';
import type { CallOwner, Connection } from './connection.js';
import { describeFailure } from './describe-failure.js';
import type { Failure } from './describe-failure.js';
import { withExactNumbers } from './wire/exact-json.js';
import { TimeLimit } from './time-limit.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface CallRequest {
  readonly endpoint: Endpoint;
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete';
  readonly params: Fields;
  /** The tool as listed. The client derives headers from it. */
  readonly tool?: McpTool | undefined;
  readonly asTask?: boolean | undefined;
  /** Milliseconds without any message of the server before the call is cancelled. */
  readonly timeoutMs?: number | undefined;
  /** Describes the call in the dialogs of its questions. */
  readonly asker: string;
}

export type CallStatus = 'connecting' | 'running' | 'task' | 'asking' | 'done' | 'failed' | 'cancelled';

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LogMessage {
  readonly level: string;
  readonly text: string;
  readonly logger?: string | undefined;
}

export type Outcome =
  | { readonly kind: 'result'; readonly result: Fields }
  | ({ readonly kind: 'failure' } & Failure)
  | { readonly kind: 'cancelled' };

export interface GivenAnswer {
  readonly method: string;
  readonly params: Fields;
  readonly result: Fields;
}

export interface Messages {
  readonly connection: readonly RecordedMessage[];
  readonly call: readonly RecordedMessage[];
  readonly dropped: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_LOGS = 200;
/** Limits how often the page redraws while messages arrive. */
const REDRAW_MS = 50;
/** Milliseconds in which the client can resume a broken stream. */
const RESUME_MS = 10_000;

/** A request to the server, from start to end. Its signals change while it runs. */
export class Call {
  readonly request: CallRequest;
  readonly trace = crypto.randomUUID();
  /** In milliseconds since 1970. */
  readonly at = Date.now();
  readonly status: Signal<CallStatus> = signal('connecting');
  readonly progress: Signal<Progress | undefined> = signal(undefined);
  readonly logs: Signal<readonly LogMessage[]> = signal([]);
  readonly task: Signal<Fields | undefined> = signal(undefined);
  readonly messages: Signal<Messages> = signal({ connection: [], call: [], dropped: 0 });
  readonly outcome: Signal<Outcome | undefined> = signal(undefined);
  /** Milliseconds from the request, which is sent on an open connection, to the end. Missing if nothing was sent. */
  readonly ms: Signal<number | undefined> = signal(undefined);
  /** Milliseconds to open the connection. Missing if it was open already. */
  readonly connectedMs: Signal<number | undefined> = signal(undefined);
  /** The part of `ms` in which the server waited for answers of the developer. */
  readonly answeringMs: Signal<number> = signal(0);
  /** A note for the user, such as that an expired session was replaced by a new one. */
  readonly notice: Signal<string | undefined> = signal(undefined);
  /** Answers to the questions of the call. */
  readonly answers: GivenAnswer[] = [];
  /** Whether the server rejected the request because its session had expired, so that the request was not processed. */
  isUnprocessed = false;
  /** Resolves when the call has an outcome. */
  readonly ended: Promise<void>;
  readonly #controller = new AbortController();
  readonly #log = new MessageLog(() => this.#redraw());
  readonly #limit: TimeLimit;
  #began: number | undefined;
  #askedAt = 0;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #broken: ReturnType<typeof setTimeout> | undefined;
  #questions = 0;
  #isTask = false;
  #resolve!: () => void;

  constructor(request: CallRequest) {
    this.request = request;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    const ms = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#limit = new TimeLimit(ms, () =>
      this.#controller.abort(
        new DOMException(`The server sent nothing for ${Math.round(ms / 1000)} s.`, 'TimeoutError'),
      ),
    );
  }

  get isOver(): boolean {
    return this.outcome.peek() !== undefined;
  }

  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the call for the page and notifies the server. */
  cancel(): void {
    if (!this.isOver) this.#controller.abort(new DOMException('The call was cancelled.', 'AbortError'));
  }

  /** Runs the call. Never rejects: `outcome` holds the result or the error. */
  async run(send: (call: Call) => Promise<Fields>): Promise<void> {
    this.#limit.restart();
    try {
      const result = await send(this);
      this.#end('done', { kind: 'result', result: this.#exactly(result) });
    } catch (error) {
      const { reason, aborted } = this.#controller.signal;
      if (aborted && (reason as Error).name === 'AbortError') this.#end('cancelled', { kind: 'cancelled' });
      else
        this.#end('failed', {
          kind: 'failure',
          ...describeFailure(aborted ? reason : error, this.#log.read().messages),
        });
    }
  }

  /** The official client has rounded the numbers of the result. Their digits are in the recorded message. */
  #exactly(result: Fields): Fields {
    const last = this.#log
      .read()
      .messages.findLast(({ direction, label }) => direction === 'received' && label === 'result');
    if (last?.text === undefined) return result;
    return withExactNumbers(result, last.text, (message) => {
      const received = isRecord(message) ? message['result'] : undefined;
      // A 2026 server nests the result of a finished task in its answer to `tasks/get`.
      return isRecord(received) && this.#isTask && isRecord(received['result'])
        ? received['result']
        : received;
    });
  }

  /** Starts the call on a connection. Call `leave` to release the connection. */
  join(connection: Connection): { readonly owner: CallOwner; readonly leave: () => void } {
    this.#connection = connection;
    this.#began = performance.now();
    this.status.value = 'running';
    this.isUnprocessed = false;
    const owner: CallOwner = {
      trace: this.trace,
      asker: this.request.asker,
      signal: this.#controller.signal,
      record: (message) => this.#log.add(message),
      received: (message) => this.#received(message),
      broken: (isResumable) => this.#lose(isResumable),
      resumed: () => clearTimeout(this.#broken),
      isOver: () => this.isOver || this.#controller.signal.aborted,
      expired: (method) => {
        if (method === this.request.method) this.isUnprocessed = true;
      },
      waiting: (isWaiting) => this.#wait(isWaiting),
      answered: (answer) => this.answers.push(answer),
    };
    return { owner, leave: connection.add(owner) };
  }

  /** Shows the state of the task that runs the call. */
  showTask(task: Fields): void {
    this.#limit.restart();
    this.#isTask = true;
    this.task.value = task;
    this.#showStatus();
  }

  #received(message: Fields): void {
    // The answer to `tasks/cancel` arrives after the end, and must not start the time limit again.
    if (this.isOver) return;
    this.#limit.restart();
    const { method, params } = message;
    if (!isRecord(params)) return;
    if (method === 'notifications/progress') {
      const [progress, total] = [params['progress'], params['total']].map(rounded);
      const { message: text } = params;
      if (typeof progress === 'number')
        this.progress.value = {
          progress,
          ...(typeof total === 'number' ? { total } : {}),
          ...(typeof text === 'string' ? { message: text } : {}),
        };
    }
    if (method === 'notifications/message') {
      const { level, data, logger } = params;
      const text = typeof data === 'string' ? data : writeJson(data);
      this.logs.value = [
        ...this.logs.value.slice(1 - MAX_LOGS),
        { level: String(level), text, ...(typeof logger === 'string' ? { logger } : {}) },
      ];
    }
  }

  #wait(isWaiting: boolean): void {
    if (isWaiting && this.#questions === 0) this.#askedAt = performance.now();
    this.#questions += isWaiting ? 1 : -1;
    if (this.#questions > 0) this.#limit.stop();
    else {
      this.#limit.restart();
      this.answeringMs.value += performance.now() - this.#askedAt;
    }
    this.#showStatus();
  }

  #showStatus(): void {
    if (this.isOver) return;
    this.status.value = this.#questions > 0 ? 'asking' : this.#isTask ? 'task' : 'running';
  }

  /** Handles an interrupted answer. The official client resumes streams with ids; otherwise it would wait forever. */
  #lose(isResumable: boolean): void {
    if (this.isOver || this.#controller.signal.aborted) return;
    clearTimeout(this.#broken);
    this.#broken = setTimeout(
      () =>
        this.#controller.abort(
          new DOMException(
            'The connection was lost before the answer arrived. The call may have taken effect.',
            'NetworkError',
          ),
        ),
      isResumable ? RESUME_MS : 0,
    );
  }

  #end(status: CallStatus, outcome: Outcome): void {
    this.#limit.stop();
    clearTimeout(this.#broken);
    if (this.#began !== undefined) this.ms.value = performance.now() - this.#began;
    this.#draw();
    this.outcome.value = outcome;
    this.status.value = status;
    this.#resolve();
  }

  #redraw(): void {
    this.#timer ??= setTimeout(() => this.#draw(), REDRAW_MS);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { messages, dropped } = this.#log.read();
    this.messages.value = {
      connection: this.#connection?.log.read().messages ?? [],
      call: messages,
      dropped,
    };
  }
}

function rounded(value: unknown): unknown {
  return value instanceof ExactNumber ? Number(value.digits) : value;
}
