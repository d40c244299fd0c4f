import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Edge } from './create-handler.js';
import { alreadyRead } from './edge.js';
import type { WholeAnswer } from './edge.js';
import type { NodeReply } from './node-reply.js';
import { notJson, readJson } from './read-json.js';

/** What to do with a body. One of the two functions is called once; none where the client has gone. */
export interface BodyReader {
  /** Whose share of the load the body counts in. */
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
  // Its events have been and do not come again.
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
    // The rest is read and dropped within the time for a request: a closed connection would take the answer along.
    onRefused(refused, false);
  });
  request.on('end', () => {
    if (isOver) return;
    end();
    const [first] = chunks;
    const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    // Other encodings would be read as other text.
    const { body: value, refused } = isUtf8(bytes)
      ? readJson(withoutMark(bytes.toString('utf8')), jsonLimits)
      : { refused: notJson() };
    if (refused) onRefused(refused, false);
    else onBody(value);
  });
}

/** Some writers put a byte order mark before everything. */
function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
}
