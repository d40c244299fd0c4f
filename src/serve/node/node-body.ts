import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Edge } from '../http/create-handler.js';
import { alreadyRead } from '../http/edge.js';
import type { WholeAnswer } from '../http/edge.js';
import type { NodeReply } from './node-reply.js';
import { notJson, readJson } from '../http/read-json.js';

/** Receives a body. Exactly one of the two callbacks is called, or none if the client has disconnected. */
export interface BodyReader {
  /** The caller whose share of the load includes the body. */
  readonly share: string | undefined;
  readonly onBody: (body: unknown) => void;
  /** `isUnfinished`: the client may still be sending, so that the connection cannot be used again. */
  readonly onRefused: (refusal: WholeAnswer, isUnfinished: boolean) => void;
}

/** Reads the JSON in the body of a request. With callbacks, because promises would take longer than the rest of a call. */
export function readNodeBody(
  request: IncomingMessage,
  reply: NodeReply,
  { bodies, jsonLimits }: Pick<Edge, 'bodies' | 'jsonLimits'>,
  { share, onBody, onRefused }: BodyReader,
): void {
  // The events of a consumed stream are not emitted again.
  if (request.readableDidRead || request.readableEnded) {
    onRefused(alreadyRead, false);
    return;
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let isOver = false;
  const body = bodies.begin(declared, share, (refusal) => {
    isOver = true;
    chunks.length = 0;
    onRefused(refusal, true);
  });
  if ('status' in body) {
    onRefused(body, false);
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
    const refused = body.add(chunk.length);
    if (!refused) {
      chunks.push(chunk);
      return;
    }
    isOver = true;
    chunks.length = 0;
    // Read and drop the rest of the body, because closing the connection now could lose the response.
    onRefused(refused, false);
  });
  request.on('end', () => {
    if (isOver) return;
    end();
    const [first] = chunks;
    const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    // Decoding bytes that are not UTF-8 would silently change the text.
    const { body: value, refused } = isUtf8(bytes)
      ? readJson(withoutMark(bytes.toString('utf8')), jsonLimits)
      : { refused: notJson() };
    if (refused) onRefused(refused, false);
    else onBody(value);
  });
}

/** Removes a byte order mark, which some clients write. */
function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
}
