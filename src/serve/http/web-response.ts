import type { JsonLimits } from '../../values/json-limits.js';
import type { ArrivingBodies } from './request-body.js';
import { alreadyRead } from './request-response.js';
import type { EdgeAnswer, Events, WholeAnswer } from './request-response.js';
import { notJson, readJson } from './request-body.js';

/** How much may wait for a client that reads slowly, in bytes. */
const MAX_WAITING = 1024 * 1024;

export interface StreamOptions {
  /** Called once, when the stream has ended or the client has stopped reading. */
  readonly onStreamEnd?: () => void;
  /** Ends the stream, for runtimes that abort a request without cancelling the body of its answer. */
  readonly signal?: AbortSignal;
}

/** An answer in the form of the web standard. */
export function toResponse({ status, headers, body }: EdgeAnswer, options: StreamOptions = {}): Response {
  if (body === undefined || status === 204) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'function')
    return new Response(toReadable(body, options), { status, headers: { ...headers } });
  const parts =
    typeof body === 'string' ? body : new Blob([...body] as ConstructorParameters<typeof Blob>[0]);
  return new Response(parts, { status, headers: { 'content-type': 'application/json', ...headers } });
}

function toReadable(events: Events, { onStreamEnd, signal }: StreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const listeners: (() => void)[] = [];
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    signal?.removeEventListener('abort', close);
    onStreamEnd?.();
    for (const listener of listeners) listener();
  };
  signal?.addEventListener('abort', close);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        events({
          write: (text) => {
            // What waits already counts, and not what is added: one event may be large.
            if (!isOpen || -(controller.desiredSize ?? 0) > MAX_WAITING) return false;
            controller.enqueue(encoder.encode(text));
            return true;
          },
          end: () => {
            if (isOpen) controller.close();
            close();
          },
          onClose: (listener) => listeners.push(listener),
        });
        if (signal?.aborted === true) close();
      },
      cancel: close,
    },
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  );
}

/** Copies a response and reports when its body ends: read completely, cancelled or failed. */
export function withEnd(response: Response, body: ReadableStream<Uint8Array>, onEnd: () => void): Response {
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      cancel: (reason) => {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, response);
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** The JSON in the body of a request, or why there is none. */
export async function readBody(
  request: Request,
  bodies: ArrivingBodies,
  limits: JsonLimits,
  share?: string,
): Promise<{ readonly body?: unknown; readonly rejected?: WholeAnswer }> {
  if (request.bodyUsed || request.body?.locked === true) return { rejected: alreadyRead };
  const reader = request.body?.getReader();
  if (!reader) return { rejected: notJson() };
  let rejected: WholeAnswer | undefined;
  const cancel = (rejection: WholeAnswer): void => {
    rejected = rejection;
    void reader.cancel().catch(() => undefined);
  };
  const body = bodies.begin(Number(request.headers.get('content-length') ?? 0), share, cancel);
  if ('status' in body) return { rejected: body };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (rejected) return { rejected };
      if (done) break;
      const over = body.add(value.byteLength);
      if (over) cancel(over);
      else text += decoder.decode(value, { stream: true });
    }
    text += decoder.decode();
  } catch {
    return { rejected: rejected ?? notJson() };
  } finally {
    body.end();
  }
  return readJson(text, limits);
}
