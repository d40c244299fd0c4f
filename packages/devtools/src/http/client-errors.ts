import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiProblem } from '../page-api.js';

/** Milliseconds in which a client can read the answer before its connection is destroyed. */
const CLOSE_MS = 1_000;

type Answer = readonly [status: number, message: string];

const malformed: Answer = [400, 'The request is malformed.'];
const answers: ReadonlyMap<string, Answer> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'The headers of the request have more than 16 kB.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request did not arrive in time.']],
]);

/** Answers a request that Node cannot parse, and closes its connection. */
export function answerClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  // Do not write into an answer that has already begun.
  const { _httpMessage: begun } = socket as { readonly _httpMessage?: ServerResponse | null };
  if (!socket.writable || begun?.headersSent === true) return void socket.destroy();
  const [status, message] = answers.get(code) ?? malformed;
  const body = JSON.stringify({ problem: { message } } satisfies ApiProblem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      '',
      body,
    ].join('\r\n'),
  );
  // A client that keeps its side open must not occupy one of the limited connections.
  setTimeout(() => socket.destroy(), CLOSE_MS).unref();
}
