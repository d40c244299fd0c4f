import type { JsonLimits } from '../schema/json-limits.js';
import { REFUSED, refuse } from './edge.js';
import type { EdgeAnswer, Events } from './edge.js';
import { notJson, readJson } from './read-json.js';

/** How much may wait for a client that reads slowly, in bytes. */
const MAX_WAITING = 1024 * 1024;

/** An answer in the form of the web standard. `onStreamEnd` is told when a stream is over. */
export function toResponse({ status, headers, body }: EdgeAnswer, onStreamEnd?: () => void): Response {
  if (body === undefined || status === 204) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'function')
    return new Response(toReadable(body, onStreamEnd), { status, headers: { ...headers } });
  const parts =
    typeof body === 'string' ? body : new Blob([...body] as ConstructorParameters<typeof Blob>[0]);
  return new Response(parts, { status, headers: { 'content-type': 'application/json', ...headers } });
}

function toReadable(events: Events, onEnd: (() => void) | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const listeners: (() => void)[] = [];
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    onEnd?.();
    for (const listener of listeners) listener();
  };
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
      },
      cancel: close,
    },
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  );
}

/** The JSON in the body of a request, or why there is none. */
export async function readBody(
  request: Request,
  maxBytes: number,
  limits: JsonLimits,
): Promise<{ readonly body?: unknown; readonly refused?: EdgeAnswer }> {
  const tooLarge = { refused: refuse(413, REFUSED, `The request has more than ${maxBytes} bytes.`) };
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) return tooLarge;
      text += decoder.decode(chunk, { stream: true });
    }
    text += decoder.decode();
  } catch {
    return { refused: notJson() };
  }
  return readJson(text, limits);
}
