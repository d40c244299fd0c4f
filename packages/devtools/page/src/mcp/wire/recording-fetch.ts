import { EventLines } from './event-lines.js';
import { evictOldest } from './evict-oldest.js';
import { readJson } from './exact-json.js';
import { isRecord, parseJson } from '../../sections/try/form/json.js';
import { labelOf } from './message-log.js';
import type { RecordedMessage } from './message-log.js';

type Fields = Readonly<Record<string, unknown>>;

/** The call or connection that a message belongs to. */
export interface Owner {
  record(message: Omit<RecordedMessage, 'id' | 'at'>): void;
  /** Called with every message of the server for this owner. */
  received(message: Fields): void;
  /** Called when an answer ended before the result. The stream can be resumed if its events have ids. */
  broken(isResumable: boolean): void;
  /** Called when the server resumes a broken answer. */
  resumed(): void;
  /** Whether the call has ended, so that answers are ignored. */
  isOver(): boolean;
  /** Called when the server rejected a message because the session has expired. */
  expired(method: unknown): void;
}

interface RecordingOptions {
  /** Added to every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Finds the owner of an outgoing message. */
  readonly ownerOf: (message: Fields) => Owner;
  /** Called with a question of the server, to route its answer to the same owner. */
  readonly asked: (id: unknown, owner: Owner) => void;
  /** Called when the session has expired. */
  readonly expired: () => void;
}

/** Marks a task inside a result. Random, so that a server cannot forge it. */
const mark = crypto.randomUUID();

/**
 * Returns the task that a server answered with. The official client does not support tasks, so the task is passed in `_meta` of an
 * empty result.
 */
export function taskOf(result: unknown): Fields | undefined {
  const meta = isRecord(result) ? result['_meta'] : undefined;
  const task = isRecord(meta) ? meta[mark] : undefined;
  return isRecord(task) ? task : undefined;
}

/** Returns the text for the official client. Only wraps tasks. */
function wrapTask(message: Fields, text: string): string {
  const { result } = message;
  if (!isRecord(result) || result['resultType'] !== 'task') return text;
  return JSON.stringify({
    ...message,
    result: { resultType: 'complete', content: [], _meta: { [mark]: result } },
  });
}

/** Headers worth showing. Excludes the page's token. */
const shown = /^(?:mcp-|content-type$|www-authenticate$|retry-after$|last-event-id$)/i;

function headersOf(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => shown.test(name)));
}

/** Labels of requests without a message. */
const requestLabels: Readonly<Record<string, string>> = {
  GET: 'open the stream of the session',
  DELETE: 'end the session',
};

/** A request whose answer broke, so that the client tries to resume it. */
interface BrokenRequest {
  readonly id: unknown;
  readonly owner: Owner;
}

/** Maximum number of broken requests. The client resumes within seconds. */
const MAX_BROKEN = 20;

/** Whether the server permanently refuses to resume. After other statuses, a retry may succeed. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Creates a `fetch` for the official client that records all messages in both directions. */
export function createRecordingFetch(options: RecordingOptions): typeof fetch {
  /** Keyed by the id of the last event, which the client sends as `Last-Event-ID`. */
  const broken = new Map<string, BrokenRequest>();
  return async (input, init = {}) => {
    const body = typeof init.body === 'string' ? parseJson(init.body) : undefined;
    const message = body?.ok === true && isRecord(body.value) ? body.value : {};
    const headers = new Headers(init.headers);
    const hasSession = headers.has('mcp-session-id');
    const { method = 'GET' } = init;
    const lastEvent = method === 'GET' ? headers.get('last-event-id') : null;
    const resumed = lastEvent === null ? undefined : broken.get(lastEvent);
    const owner = resumed?.owner ?? options.ownerOf(message);
    owner.record({
      direction: 'sent',
      ...(typeof init.body === 'string'
        ? { label: labelOf(message), text: init.body, message }
        : { label: resumed ? 'resume the answer' : (requestLabels[method] ?? method) }),
      http: method,
      headers: headersOf(headers),
    });
    for (const [name, value] of Object.entries(options.headers)) headers.set(name, value);
    const response = await fetch(input, { ...init, headers });
    if (response.status === 404 && hasSession) {
      options.expired();
      owner.expired(message['method']);
    }
    if (resumed && isRefusal(response.status)) owner.broken(false);
    if (resumed && isEventStream(response)) owner.resumed();
    const request: Fields = resumed ? { id: resumed.id } : message;
    const onBroken = (last: string | undefined): void => {
      if (last !== undefined) broken.set(last, { id: request['id'], owner });
      evictOldest(broken, MAX_BROKEN);
      owner.broken(last !== undefined);
    };
    return read(response, { request, owner, onBroken }, options);
  };
}

interface Exchange {
  /** The sent message. When resuming an answer, only its id is known. */
  readonly request: Fields;
  readonly owner: Owner;
  /** Called with the id of the last event if the answer ended before the result. */
  readonly onBroken: (lastEvent: string | undefined) => void;
}

function isEventStream({ ok, headers }: Response): boolean {
  return ok && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

async function read(response: Response, exchange: Exchange, options: RecordingOptions): Promise<Response> {
  const { request, owner } = exchange;
  const { status, headers } = response;
  const http = `${status}${response.statusText === '' ? '' : ` ${response.statusText}`}`;
  const seen = headersOf(headers);
  const take = (text: string, isFirst: boolean): string => {
    const parsed = parseJson(text);
    if (!parsed.ok || !isRecord(parsed.value)) {
      if (text.trim() !== '')
        owner.record({ direction: 'received', label: 'not JSON', text, http, headers: seen });
      return text;
    }
    const message: Fields = parsed.value;
    const exact = readJson(text) as Fields;
    owner.record({
      direction: 'received',
      label: labelOf(message),
      text,
      message: exact,
      ...(isFirst ? { http } : {}),
      headers: isFirst ? seen : {},
    });
    if ('method' in message && 'id' in message) options.asked(message['id'], owner);
    // An HTTP error, such as for a refused GET, does not show that the server is still working.
    if (response.ok) owner.received(exact);
    return wrapTask(message, text);
  };
  if (response.body !== null && isEventStream(response)) {
    // The answer to a call is recorded with its first message, but a stream without a request may never have one.
    const isSilent = request['id'] === undefined;
    if (isSilent) owner.record({ direction: 'received', label: 'event stream', http, headers: seen });
    const stream = readStream(response.body, exchange, (text, isFirst) => take(text, isFirst && !isSilent));
    return new Response(stream, { status, headers });
  }
  const text = await response.text();
  if (text === '') {
    owner.record({ direction: 'received', label: 'no content', http, headers: seen });
    return new Response(null, { status, statusText: response.statusText, headers });
  }
  const passed = take(text, true);
  // The official client only reads errors of rejected calls for some statuses.
  const isAnswer = isErrorFor(passed, request['id']) && 'toolfold/trace' in metaOf(request);
  return new Response(passed, {
    status: isAnswer ? 200 : status,
    statusText: response.statusText,
    headers: isAnswer ? { 'content-type': 'application/json' } : headers,
  });
}

function isErrorFor(text: string, id: unknown): boolean {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) && isRecord(parsed.value['error']) && parsed.value['id'] === id;
}

export function metaOf({ params }: Fields): Fields {
  return isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {};
}

function readStream(
  body: ReadableStream<Uint8Array>,
  { request, owner, onBroken }: Exchange,
  take: (text: string, isFirst: boolean) => string,
): ReadableStream<Uint8Array> {
  let isFirst = true;
  let isAnswered = request['id'] === undefined;
  let lastEvent: string | undefined;
  const lines = new EventLines(
    (data) => {
      const passed = take(data, isFirst);
      isFirst = false;
      const parsed = parseJson(passed);
      if (
        parsed.ok &&
        isRecord(parsed.value) &&
        !('method' in parsed.value) &&
        parsed.value['id'] === request['id']
      )
        isAnswered = true;
      return passed;
    },
    (id) => (lastEvent = id),
  );
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const end = (): void => {
    if (!isAnswered) onBroken(lastEvent);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done)
          return void controller.enqueue(encoder.encode(lines.take(decoder.decode(value, { stream: true }))));
        controller.enqueue(encoder.encode(lines.end()));
        // The official client would resume the stream of a cancelled call, because it has no answer.
        if (!isAnswered && owner.isOver())
          controller.enqueue(encoder.encode(`data: ${cancelledAnswer(request['id'])}\n\n`));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function cancelledAnswer(id: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_800, message: 'The call was cancelled.' } });
}
