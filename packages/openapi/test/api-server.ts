import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived, byte for byte. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query as they were sent. */
  readonly target: string;
  /** Names in lower case; a header that was sent twice has two entries. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export type Answer = (
  request: ReceivedRequest,
  response: ServerResponse,
  socket: IncomingMessage['socket'],
) => void;

/** A real HTTP server that records what it receives. */
export class ApiServer implements AsyncDisposable {
  readonly received: ReceivedRequest[] = [];
  /** Connections that are open now. */
  readonly sockets = new Set<IncomingMessage['socket']>();
  readonly #server: Server;
  answer: Answer;

  private constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => undefined);
      incoming.on('end', () => {
        const { rawHeaders, method = '', url: target = '' } = incoming;
        const headers = rawHeaders.flatMap((name, at) =>
          at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
        );
        const request = { method, target, headers, body: Buffer.concat(chunks) };
        this.received.push(request);
        this.answer(request, response, incoming.socket);
      });
    });
    this.#server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(
    answer: Answer = (_, response) => void answerJson(response, { ok: true }),
  ): Promise<ApiServer> {
    const server = new ApiServer(answer);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get last(): ReceivedRequest {
    const request = this.received.at(-1);
    if (!request) throw new Error('The server has received no request.');
    return request;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The values of a header, in the order in which they arrived. */
export function headerOf({ headers }: ReceivedRequest, name: string): string[] {
  return headers.filter(([each]) => each === name).map(([, value]) => value);
}
