import type { ToolContext } from 'toolfold';
import { appendBytes, isNever, noBytes } from 'toolfold/internal';
import { ErrCancelled, ErrOutputTooLarge, ErrTimeout, ErrToolFailed, ErrUpstreamLost } from 'toolfold/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { assertPublicHost } from './addresses.js';
import type { RequestBody } from './body.js';
import type { RequestSettings } from './settings.js';
import { isBelow } from './url.js';

export interface ReadyRequest {
  readonly method: string;
  readonly base: URL;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: RequestBody | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The address that answered, after redirects. */
  readonly url: URL;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether a request only reads, so that it can be repeated if its answer is lost. */
export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method);
}

const CHECK_FIRST = 'The call may have taken effect. Check before you try again.';

/** Sends a request, follows redirects below the base address, and reads the response within the limits on time and size. */
export async function exchange(
  request: ReadyRequest,
  settings: RequestSettings,
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<ApiResponse> {
  const { timeoutMs } = settings;
  if (signal.aborted) throw cancelled(signal.reason);
  const controller = new AbortController();
  let end!: (reason: unknown) => void;
  const ended = new Promise<never>((_, reject) => (end = reject));
  const stop = (reason: unknown): void => {
    end(reason);
    controller.abort(reason);
  };
  const cancel = (): void => stop(cancelled(signal.reason));
  const timer = setTimeout(() => stop(timedOut(request, timeoutMs)), timeoutMs);
  // Many calls share the `never` signal, so listeners on it would pile up.
  if (!isNever(signal)) signal.addEventListener('abort', cancel, { once: true });
  const running = follow(request, settings, controller.signal);
  // A `fetch` of the operator may ignore the signal, and fail after the caller has its answer.
  running.catch(() => undefined);
  try {
    return await Promise.race([running, ended]);
  } catch (thrown) {
    // Aborting frees the socket of a response that is not read to its end.
    controller.abort(thrown);
    throw thrown;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function cancelled(reason: unknown): Error {
  return reason instanceof ErrTimeout || reason instanceof ErrCancelled
    ? reason
    : new ErrCancelled(undefined, { cause: reason });
}

function timedOut({ method, url }: ReadyRequest, timeoutMs: number): ErrTimeout {
  return new ErrTimeout(`The API at ${url.host} did not answer completely within ${timeoutMs} ms.`, {
    hint: isSafe(method) ? 'Ask for less, or try again later.' : CHECK_FIRST,
    details: { host: url.host, timeoutMs },
  });
}

async function follow(
  first: ReadyRequest,
  settings: RequestSettings,
  signal: AbortSignal,
): Promise<ApiResponse> {
  let request = first;
  // The operator has not chosen the host, so it must not lead into a private network.
  if (!settings.isBaseTrusted) await assertPublicHost(request.url);
  for (let redirects = 0; ; redirects++) {
    const response = await send(request, settings, signal);
    const { status, statusText, headers } = response;
    const location = REDIRECTS.has(status) ? headers.get('location') : null;
    if (location === null) {
      const bytes = await readBytes(response, request, settings.maxResponseBytes);
      return { status, statusText, headers, bytes, url: request.url };
    }
    await discard(response);
    if (redirects >= MAX_REDIRECTS)
      throw new ErrToolFailed(`The API redirected the request more than ${MAX_REDIRECTS} times.`, {
        details: { host: request.url.host, status },
      });
    request = redirected(request, status, location);
  }
}

async function send(
  { method, url, headers, body }: ReadyRequest,
  settings: RequestSettings,
  signal: AbortSignal,
): Promise<Response> {
  const fetchNow = settings.fetch ?? fetch;
  let response: Response;
  try {
    response = await fetchNow(url, {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body: body.bytes }),
    });
  } catch (thrown) {
    throw signal.aborted ? signal.reason : lost(`The API at ${url.host} cannot be reached`, method, thrown);
  }
  if (response.type !== 'opaqueredirect') return response;
  throw new ErrToolFailed(`The API at ${url.host} redirects, and this runtime does not say where to.`, {
    hint: 'If the API has moved, the operator of the server must change the option baseUrl.',
  });
}

/** Returns the request after a redirect, with the changes of method that the standard of `fetch` prescribes. */
function redirected(request: ReadyRequest, status: number, location: string): ReadyRequest {
  const { base, url, method } = request;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (!target || !isBelow(base, target) || target.username !== '' || target.password !== '') {
    // Only the origin is shown, because the rest of the address may contain credentials.
    const where =
      target === undefined
        ? 'an invalid address'
        : target.origin === 'null'
          ? target.protocol
          : target.origin === url.origin
            ? 'an address outside of the base address'
            : target.origin;
    throw new ErrToolFailed(`The API at ${url.host} redirects to ${where}, which is not allowed.`, {
      hint: 'Credentials are only sent to the base address. If the API has moved, the operator of the server must change the option baseUrl.',
      details: { host: url.host, status },
    });
  }
  target.hash = '';
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  if (!becomesGet) return { ...request, url: target };
  const headers = new Headers(request.headers);
  headers.delete('content-type');
  return { method: 'GET', base, url: target, headers, body: undefined };
}

async function discard({ body }: Response): Promise<void> {
  // The connection may have failed after the headers, which is irrelevant here.
  await body?.cancel().catch(() => undefined);
}

/** Reads a body. The limit counts decompressed bytes, so that a small compressed body cannot fill the memory. */
async function readBytes(response: Response, request: ReadyRequest, maxBytes: number): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  let bytes: Uint8Array = noBytes;
  if (!reader) return bytes;
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((thrown: unknown) => {
      const { host } = request.url;
      throw lost(`The connection to the API at ${host} broke off during its answer`, request.method, thrown);
    });
    if (done) return bytes.subarray(0, size);
    if (size + value.length > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new ErrOutputTooLarge(
        `The answer of the API is larger than ${maxBytes} bytes, which is the limit.`,
        {
          hint: isSafe(request.method)
            ? 'Ask for less, for example with a filter or a smaller page.'
            : CHECK_FIRST,
          details: { maxResponseBytes: maxBytes, status: response.status },
        },
      );
    }
    bytes = appendBytes(bytes, size, value);
    size += value.length;
  }
}

/**
 * Makes the error of a failed connection. Of the original error it keeps only the code, which tells whether a retry may help; the message
 * may contain the address with its credentials.
 */
function lost(what: string, method: string, thrown: unknown): Error {
  const code = codeOf(thrown);
  const cause = Object.assign(new Error('The connection failed.'), code === undefined ? {} : { code });
  return new ErrUpstreamLost(`${what}${code === undefined ? '' : ` (${code})`}.`, {
    hint: isSafe(method) ? 'Try again later.' : CHECK_FIRST,
    cause,
  });
}

function codeOf(thrown: unknown): string | undefined {
  let link = thrown;
  for (let depth = 0; depth < 8 && isJsonObject(link); depth++) {
    const { code, cause } = link;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code;
    link = cause;
  }
  return undefined;
}
