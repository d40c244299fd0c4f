import { currentCall } from './call.js';
import type { UpstreamCall } from './call.js';
import { LineBuffer, repairAnswer, tooLarge } from './messages.js';

/** Network errors that `fetch` has thrown. */
const networkErrors = new WeakSet<object>();

/** Whether `fetch` itself failed, before or during an answer. Error texts prove nothing, because a server can write them. */
export function isNetworkError(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && networkErrors.has(thrown);
}

function noteNetworkError(thrown: unknown, signal: AbortSignal | null | undefined): unknown {
  if (typeof thrown === 'object' && thrown !== null && signal?.aborted !== true) networkErrors.add(thrown);
  return thrown;
}

/**
 * Creates a `fetch` for a server that is not trusted. It limits the size of every answer, repairs answers that the client
 * would ignore, and tells the call when its stream ends.
 */
export function createUpstreamFetch(name: string, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const call = currentCall();
    const response = await fetch(input, init).catch((error: unknown) => {
      // The client could not resume the stream, so the server itself is gone.
      if (init?.method === 'GET') call?.resumeFailed();
      throw noteNetworkError(error, init?.signal);
    });
    if (!response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    const isStream = response.ok && /^text\/event-stream\b/i.test(type);
    const filter = isStream ? streamFilter(name, maxBytes, call) : bodyFilter(name, maxBytes, response);
    if (isStream) call?.streamOpened();
    const onEnd = isStream && call ? () => call.streamEnded(resumable.has(call)) : () => {};
    const { status, statusText, headers, url } = response;
    const body = pass(response.body, filter, { onEnd, signal: init?.signal });
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperty(bounded, 'url', { value: url });
  };
}

/** Transforms the bytes of an answer. Throws if there are too many. */
interface Filter {
  take(chunk: Uint8Array): readonly Uint8Array[];
  end(): readonly Uint8Array[];
}

/** Limits a body that is one message, and repairs it if it is JSON. */
function bodyFilter(name: string, maxBytes: number, { ok, headers }: Response): Filter {
  let size = 0;
  const isJson = ok && /^application\/json\b/i.test(headers.get('content-type') ?? '');
  const parts: Uint8Array[] = [];
  return {
    take(chunk) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      if (!isJson) return [chunk];
      parts.push(chunk);
      return [];
    },
    end: () => (size > 0 && isJson ? [repairJson(Buffer.concat(parts))] : []),
  };
}

/** Calls whose stream has sent an event with an ID. The client can resume such a stream. */
const resumable = new WeakSet<UpstreamCall>();
const encoder = new TextEncoder();

/** Limits each message of an event stream. A blank line ends a message. */
function streamFilter(name: string, maxBytes: number, call: UpstreamCall | undefined): Filter {
  const lines = new LineBuffer(maxBytes, () => tooLarge(name, maxBytes));
  let size = 0;
  const toLine = (bytes: Uint8Array): Uint8Array => {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(name, maxBytes);
    if (bytes.length <= 2 && String.fromCharCode(...bytes).trim() === '') size = 0;
    const field = String.fromCharCode(...bytes.subarray(0, 5));
    if (field.startsWith('id:') && call) resumable.add(call);
    return field === 'data:' ? repairData(bytes) : bytes;
  };
  return {
    take: (chunk) => lines.add(chunk).map(toLine),
    end: () => [lines.take()].filter(({ length }) => length > 0).map(toLine),
  };
}

function repairData(line: Uint8Array): Uint8Array {
  const data = line.subarray(5);
  const repaired = repairJson(data);
  return repaired === data ? line : Buffer.concat([encoder.encode('data:'), repaired, encoder.encode('\n')]);
}

/** Repairs a JSON message. Returns the same bytes if nothing is wrong with it. */
function repairJson(bytes: Uint8Array): Uint8Array {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The client reports text that is not JSON.
    return bytes;
  }
  const repaired = repairAnswer(message);
  const isSame = Array.isArray(message)
    ? message.every((each, index) => each === (repaired as unknown[])[index])
    : repaired === message;
  return isSame ? bytes : encoder.encode(JSON.stringify(repaired));
}

/** Reads a body as fast as it is consumed. A body that is too large is cancelled, which closes its connection. */
function pass(
  body: ReadableStream<Uint8Array>,
  filter: Filter,
  { onEnd, signal }: { readonly onEnd: () => void; readonly signal: AbortSignal | null | undefined },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        // A stream calls `pull` again only after a chunk was enqueued.
        for (let isEmpty = true; isEmpty;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            throw noteNetworkError(error, signal);
          });
          const passed = done ? filter.end() : filter.take(value);
          for (const bytes of passed) controller.enqueue(bytes);
          isEmpty = passed.length === 0 && !done;
          if (!done) continue;
          onEnd();
          controller.close();
        }
      } catch (error) {
        onEnd();
        controller.error(error);
        // A body that failed is already closed.
        reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
