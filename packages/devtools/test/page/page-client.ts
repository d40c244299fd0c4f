import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { internalsOf, observeCalls } from 'toolfold/internal';
import { createPage } from '../../src/page.js';
import type { PageOptions } from '../../src/page.js';
import type { PageSource } from '@toolfold/devtools/internal';
import { TokenThread } from '../../src/tokens/token-thread.js';
import type { LoadedModule } from '@toolfold/analysis/internal';
import type { ApiProblem } from '../../src/page-api.js';

/** A page that is served until the test ends, and requests to it. */
export interface TestPage {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly token: string;
  /** Unexpected errors of the page's server. */
  readonly errors: unknown[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Asks an endpoint, and throws unless it answers with 200. */
  get<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Asks for something that the server refuses. */
  fail(
    path: string,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly message: string; readonly hint: string | undefined }>;
  /** Sends text as it is, and returns all that arrives until the server closes the connection. */
  send(text: string, options?: { readonly timeoutMs?: number }): Promise<string>;
  close(): Promise<void>;
}

/** A source that a test controls. */
export function createTestSource(
  loaded: LoadedModule | (() => LoadedModule),
  others: Partial<PageSource> = {},
): PageSource {
  const current = typeof loaded === 'function' ? loaded : () => loaded;
  return {
    target: 'server.ts',
    canCall: true,
    lockfile: '/nonexistent/toolfold.lock.json',
    lockCommand: 'npx toolfold lock server.ts',
    current,
    onChange: (listener) => current().registry.onChange(listener),
    observe: (listener) => observeCalls(internalsOf(current().registry), listener),
    ...others,
  };
}

async function read<T>(response: Response): Promise<T> {
  const body = (await response.json()) as T & Partial<ApiProblem>;
  if (response.status !== 200) throw new Error(`${response.status}: ${body.problem?.message}`);
  return body;
}

/** All test pages share a thread, because each thread loads the tokenizer, which takes longer than most tests. */
const tokens = new TokenThread();

export async function openTestPage(
  source: PageSource,
  options: Partial<PageOptions> = {},
): Promise<TestPage> {
  const errors: unknown[] = [];
  const page = await createPage(source, {
    port: 0,
    tokens,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => page.close());
  const { origin, port, hash } = new URL(page.url);
  const token = hash.slice('#token='.length);
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('x-toolfold-token')) headers.set('x-toolfold-token', token);
    return fetch(`${origin}${path}`, { ...init, headers });
  };
  return {
    url: page.url,
    origin,
    port: Number(port),
    token,
    errors,
    fetch: send,
    get: async (path, query = {}) => {
      const text = new URLSearchParams(query).toString();
      return read(await send(text === '' ? path : `${path}?${text}`));
    },
    post: async (path, body) =>
      read(
        await send(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    fail: async (path, init) => {
      const response = await send(path, init);
      if (response.ok) throw new Error(`${path} answered with ${response.status}.`);
      const { problem } = (await response.json()) as ApiProblem;
      return { status: response.status, message: problem.message, hint: problem.hint };
    },
    send: (text, { timeoutMs = 20_000 } = {}) =>
      new Promise((resolve, reject) => {
        let received = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        socket.setTimeout(timeoutMs, () =>
          socket.destroy(new Error('The server does not close the connection.')),
        );
        socket.on('data', (data) => (received += data.toString('latin1')));
        socket.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(received) : reject(error),
        );
        socket.on('close', () => resolve(received));
      }),
    close: () => page.close(),
  };
}
