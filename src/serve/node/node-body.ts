import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Edge } from '../http/create-handler.js';
import { alreadyRead } from '../http/request-response.js';
import type { WholeAnswer } from '../http/request-response.js';
import type { NodeReply } from './node-reply.js';
import { notJson, readJson } from '../http/request-body.js';

/** Receives a body. Exactly one of the two callbacks is called, or none if the client has disconnected. */
export interface BodyReader {
  /** The caller whose share of the load includes the body. */
  readonly share: string | undefined;
  readonly onBody: (body: unknown) => void;
  /** `isUnfinished`: the client may still be sending, so that the connection cannot be used again. */
  readonly onRejected: (rejection: WholeAnswer, isUnfinished: boolean) => void;
}

/** Reads the JSON in the body of a request. With callbacks, because promises would take longer than the rest of a call. */
export function readNodeBody(
  request: IncomingMessage,
  reply: NodeReply,
  { bodies, jsonLimits }: Pick<Edge, 'bodies' | 'jsonLimits'>,
  { share, onBody, onRejected }: BodyReader,
): void {
  // The events of a consumed stream are not emitted again.
  if (request.readableDidRead || request.readableEnded) {
    onRejected(alreadyRead, false);
    return;
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let isOver = false;
  const body = bodies.begin(declared, share, (rejection) => {
    isOver = true;
    chunks.length = 0;
    onRejected(rejection, true);
  });
  if ('status' in body) {
    onRejected(body, false);
    return;
  }
  const end = (): void => {
    isOver = true;
    body.end();
  };
  reply.onOver(end);
  request.on('error', end);
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    const rejected = body.add(chunk.length);
    if (!rejected) {
      chunks.push(chunk);
      return;
    }
    isOver = true;
    chunks.length = 0;
    // Read and drop the rest of the body, because closing the connection now could lose the response.
    onRejected(rejected, false);
  });
  request.on('end', () => {
    if (isOver) return;
    end();
    const [first] = chunks;
    const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    // Decoding bytes that are not UTF-8 would silently change the text.
    const { body: value, rejected } = isUtf8(bytes)
      ? readJson(withoutMark(bytes.toString('utf8')), jsonLimits)
      : { rejected: notJson() };
    if (rejected) onRejected(rejected, false);
    else onBody(value);
  });
}

/** Removes a byte order mark, which some clients write. */
function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
}
