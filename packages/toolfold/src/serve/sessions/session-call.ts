import type { EnabledToolsets } from '../../callers/caller.js';
import type { Emit } from '../../engine/events/call-events.js';
import { ErrInputUnavailable } from '@toolfold/schema/errors';
import { missingCapabilities } from '../../protocol/input-required.js';
import type { WireQuestion } from '../../protocol/input-required.js';
import { isLogged } from '../../protocol/mcp-types.js';
import type { Id, Message } from '../../protocol/messages.js';
import { toRpcError } from '../../protocol/rpc-error.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { AskClient } from '../../questions/request-input.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { ReportFault } from '../../engine/request.js';
import { toRequestOptions } from '../../registry/incoming-request.js';
import { serveMethod } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { SessionRecord } from '../../stores/contracts.js';
import { randomId } from '../../runtime/random-id.js';
import { scopeChallenge } from '../auth/challenge.js';
import { toAnswer } from '../http/admission.js';
import type { Capacity } from '../http/capacity.js';
import type { EdgeRequest, Written } from '../http/request-response.js';
import type { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import { writeError, writeResult } from '../http/write-message.js';
import type { LiveSession } from './live-sessions.js';
import { LATEST } from './session-records.js';

type Request = Extract<Message, { kind: 'request' }>;

export interface SessionCallOptions {
  readonly session: SessionRecord;
  readonly live: LiveSession;
  readonly handler: MethodHandler;
  readonly edge: EdgeRequest;
  readonly response: JsonOrSseResponse;
  readonly enabledToolsets: EnabledToolsets | undefined;
  /** The call starts in this later turn of the event loop, so that a large batch does not block other requests. */
  readonly turn: Promise<void> | undefined;
}

export interface SessionCallServices {
  readonly capacity: Capacity;
  readonly onError: ReportFault;
  readonly emit: Emit;
}

/** Runs a request of a session. Resolves to the answer as JSON, or to `undefined` if the client cancels the call. */
export async function runSessionCall(
  registry: AnyRegistry,
  { id, method, params }: Request,
  { session, live, handler, edge, response, enabledToolsets, turn }: SessionCallOptions,
  { capacity, onError, emit }: SessionCallServices,
): Promise<Written | undefined> {
  const call = new SessionCall(id, session, live, response);
  // A handler that ignores its signal goes on after the call is cancelled, and counts until it is done.
  const release = capacity.hold('calls', edge.caller?.share);
  const options = toRequestOptions(edge, {
    protocolVersion: session.protocolVersion,
    client: session.client,
    capabilities: session.capabilities,
    sessionId: session.id,
    enabledToolsets,
    lazySignal: call.signal,
    notify: (notification, content) => response.notify(notification, content),
    isLogged: (level) => isLogged(level, session.logLevel),
    ask: call.ask,
    release: () => {
      if (session.protocolVersion >= LATEST) response.open()?.release();
    },
    meta: params['_meta'] as Readonly<Record<string, unknown>> | undefined,
    emit,
  });
  const serve = async (): Promise<Written> => {
    try {
      if (turn) await turn;
      const result = await serveMethod(
        registry,
        handler,
        Object.assign(options, { method, params }),
        onError,
      );
      const challenge = edge.auth && scopeChallenge(result as CallToolResult, edge.auth);
      if (challenge) response.rejection = toAnswer(challenge, id);
      return writeResult(id, result, onError);
    } catch (error) {
      return writeError(id, toRpcError(error, onError));
    } finally {
      release();
    }
  };
  try {
    return await Promise.race([serve(), call.cancelled]);
  } finally {
    call.end();
  }
}

/** A request that runs in a session. The client can cancel it, and its handler can ask the client. */
export class SessionCall {
  readonly id: Id;
  readonly cancelled: Promise<undefined>;
  readonly #capabilities: SessionRecord['capabilities'];
  readonly #live: LiveSession;
  readonly #response: JsonOrSseResponse;
  #onCancel!: (nothing: undefined) => void;
  #isCancelled = false;
  #isOver = false;
  /** Created on first use, because most handlers never look at their signal. */
  #controller: AbortController | undefined;
  readonly #questions = new Set<string>();

  constructor(
    id: Id,
    { capabilities }: Pick<SessionRecord, 'capabilities'>,
    live: LiveSession,
    response: JsonOrSseResponse,
  ) {
    this.id = id;
    this.#capabilities = capabilities;
    this.#live = live;
    this.#response = response;
    this.cancelled = new Promise((resolve) => {
      this.#onCancel = resolve;
    });
    live.calls.set(id, this);
  }

  readonly signal = (): AbortSignal => {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  };

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
    this.#withdraw();
    this.#onCancel(undefined);
  }

  /** Sends questions on the stream of the call, and resolves to the answers of the client. */
  readonly ask: AskClient = async (questions) => {
    const missing = missingCapabilities(questions, this.#capabilities);
    if (missing)
      throw new ErrInputUnavailable(
        `The client cannot be asked: it has no ${Object.keys(missing).join(', ')}.`,
      );
    const answers = Object.entries(questions).map(
      async ([key, question]) => [key, await this.#put(question)] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  };

  /** Removes the call from its session. */
  end(): void {
    // A client may use an id twice, and then the later call has its place.
    if (this.#live.calls.get(this.id) === this) this.#live.calls.delete(this.id);
    this.#withdraw();
  }

  /** Ends questions that are not answered: those of a cancelled call, and those that a handler did not wait for. */
  #withdraw(): void {
    this.#isOver = true;
    for (const id of this.#questions) this.#live.answer(id, { error: 'The call has ended.' });
  }

  async #put({ method, params: { mode, ...others } }: WireQuestion): Promise<unknown> {
    if (this.#isOver) throw new ErrInputUnavailable('The call has ended.');
    const id = randomId();
    // 2025-06-18 clients know only forms, and have no `mode` to name them.
    const params = mode === undefined || mode === 'form' ? others : { mode, ...others };
    const send = (): void => this.#response.ask(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    try {
      this.#questions.add(id);
      const { result, error } = await this.#live.ask(id, send);
      if (error === undefined) return result;
      throw new ErrInputUnavailable('The client did not take the question.', { cause: error });
    } finally {
      this.#questions.delete(id);
    }
  }
}
