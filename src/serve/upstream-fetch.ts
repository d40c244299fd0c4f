import { ErrUpstreamLost } from '../errors.js';
import { currentCall } from './upstream-call.js';
import type { UpstreamCall } from './upstream-call.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** `fetch` for the connection to a server that need not be trusted: bounds messages, and notices when streams end. */
export function createUpstreamFetch(name: string, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const call = currentCall();
    const response = await fetch(input, init).catch((error: unknown) => {
      // A stream that broke off could not be taken up: the server itself is gone.
      if (init?.method === 'GET') call?.resumeFailed();
      throw error;
    });
    if (!response.body || !response.ok) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const body = response.body.pipeThrough(watch(name, maxBytes, isStream, isStream ? call : undefined));
    const { status, statusText, headers } = response;
    return new Response(isStream && call ? noticeEnd(body, call) : body, { status, statusText, headers });
  };
}

const resumable = new WeakSet<UpstreamCall>();

/** Counts the bytes of a message: all of a body, or those between the blank lines of a stream. */
function watch(
  name: string,
  maxBytes: number,
  isStream: boolean,
  call: UpstreamCall | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lineLength = 0;
  let lineStart = '';
  call?.streamOpened();
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStream) size += chunk.length;
      else
        for (const byte of chunk) {
          size++;
          if (byte === LINE_FEED) {
            // An event with an id can be asked for again.
            if (lineStart.startsWith('id:') && call) resumable.add(call);
            if (lineLength === 0) size = 0;
            lineLength = 0;
            lineStart = '';
          } else if (byte !== CARRIAGE_RETURN) {
            lineLength++;
            if (lineStart.length < 3) lineStart += String.fromCodePoint(byte);
          }
        }
      if (size <= maxBytes) controller.enqueue(chunk);
      else
        controller.error(
          new ErrUpstreamLost(`The server "${name}" sent a message of more than ${maxBytes} bytes.`, {
            details: { upstream: name },
          }),
        );
    },
  });
}

function noticeEnd(body: ReadableStream<Uint8Array>, call: UpstreamCall): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const ended = (): void => call.streamEnded(resumable.has(call));
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        ended();
        controller.close();
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
