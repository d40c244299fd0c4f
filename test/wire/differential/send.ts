/** Sends a request by `fetch` or over a socket, and returns the answer in the same form. */
import { connect } from 'node:net';
import { ResponseReader } from '../raw-responses.js';
import type { RawResponse } from '../raw-responses.js';
import { SESSION, bytesOf, headerOf, methodOf } from './http-case.js';
import type { Header, HttpRequest } from './http-case.js';

export type Fetch = (request: Request) => Promise<Response>;

/** An open stream is read until nothing has arrived for this time. */
const QUIET_MS = 80;
const PATIENCE_MS = 5_000;

/** Returns `undefined` if a web `Request` cannot express the request. */
export async function sendByFetch(
  fetch: Fetch,
  request: HttpRequest,
  session: string | undefined,
): Promise<RawResponse | undefined> {
  const controller = new AbortController();
  const built = toRequest(request, session, controller.signal);
  if (!built) return undefined;
  const response = await fetch(built);
  const headers = Object.fromEntries(response.headers);
  const chunks: Uint8Array[] = [];
  if (!response.body) return { status: response.status, headers, body: Buffer.alloc(0), isWhole: true };
  const reader = response.body.getReader();
  const isEndless = mayStayOpen(request);
  let isWhole = true;
  for (;;) {
    const isQuiet = isEndless && hasSpoken(request, Buffer.concat(chunks));
    const next = await within(reader.read(), isQuiet ? QUIET_MS : PATIENCE_MS);
    if (next === undefined) {
      isWhole = false;
      controller.abort();
      await reader.cancel().catch((error: unknown) => void error);
      break;
    }
    if (next.done) break;
    chunks.push(next.value);
  }
  return { status: response.status, headers, body: Buffer.concat(chunks), isWhole };
}

/** Writes every byte as the request states it. */
export async function sendBySocket(
  port: number,
  request: HttpRequest,
  session: string | undefined,
): Promise<RawResponse | undefined> {
  const isHead = request.method === 'HEAD';
  const reader = new ResponseReader(() => isHead);
  const socket = connect(port, '127.0.0.1');
  const isEndless = mayStayOpen(request);
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(resolve, PATIENCE_MS);
    let quiet: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(limit);
      clearTimeout(quiet);
      resolve();
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        reject(error as Error);
      }
      clearTimeout(quiet);
      if (reader.count > 0) finish();
      else if (isEndless && hasSpoken(request, reader.responses[0]?.body))
        quiet = setTimeout(finish, QUIET_MS);
    });
    socket.on('end', () => {
      reader.end();
      finish();
    });
    // A server may close the connection during the write.
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(encode(request, session, port));
  });
  socket.destroy();
  return reader.responses[0];
}

export function encode(request: HttpRequest, session: string | undefined, port: number): Buffer {
  const body = bytesOf(request);
  const headers: Header[] = [...fill(request.headers, session)];
  const has = (name: string): boolean => headers.some(([other]) => other.toLowerCase() === name);
  if (!has('host')) headers.unshift(['Host', `127.0.0.1:${port}`]);
  if (request.body !== undefined && !has('content-length') && !has('transfer-encoding'))
    headers.push(['Content-Length', String(body.length)]);
  if (!has('connection')) headers.push(['Connection', 'close']);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${request.method} ${request.target ?? '/mcp'} HTTP/1.1\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function toRequest(
  request: HttpRequest,
  session: string | undefined,
  signal: AbortSignal,
): Request | undefined {
  // Framing headers belong to the connection, which `fetch` does not have.
  const isFramed = request.headers.some(([name]) =>
    /^(content-length|transfer-encoding|expect)$/i.test(name),
  );
  if (isFramed || request.target !== undefined || request.method !== request.method.toUpperCase())
    return undefined;
  const body = request.body === undefined ? {} : { body: bytesOf(request) };
  try {
    const headers = fill(request.headers, session).map(([name, value]): [string, string] => [name, value]);
    return new Request('http://localhost/mcp', { method: request.method, headers, signal, ...body });
  } catch {
    return undefined;
  }
}

function fill(headers: readonly Header[], session: string | undefined): readonly Header[] {
  return headers.map(([name, value]) => [name, value === SESSION ? (session ?? 'none') : value] as const);
}

/** Streams for changes, and calls that wait for an answer of the user. */
function mayStayOpen(request: HttpRequest): boolean {
  if (request.method === 'GET') return true;
  if (methodOf(request) === 'subscriptions/listen') return true;
  const isLegacy = headerOf(request, 'mcp-session-id') !== undefined;
  return isLegacy && bytesOf(request).includes('"ask"');
}

/** A GET stream may be silent; any other begins with an event. */
function hasSpoken(request: HttpRequest, body: Buffer | undefined): boolean {
  return body !== undefined && (request.method === 'GET' || body.includes('\n\n'));
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
