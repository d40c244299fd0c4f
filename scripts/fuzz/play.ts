/** Executes the plan of a connection and returns the answers. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { NoHttp, ResponseReader } from '../../test/wire/raw-responses.js';
import type { RawResponse } from '../../test/wire/raw-responses.js';
import type { Plan } from './plan.js';

export interface Played {
  /** In the order of the requests. The last one may be incomplete. */
  readonly responses: readonly RawResponse[];
  /** Number of sent requests. */
  readonly sent: number;
  /** Received bytes that are not HTTP. */
  readonly noise?: string;
  readonly isLate: boolean;
}

/** Requests that take longer count as unanswered. */
const PATIENCE_MS = 15_000;

export async function play(plan: Plan, port: number): Promise<Played> {
  const { steps } = plan;
  const reader = new ResponseReader((index) => steps[index]?.isHead === true);
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const line = new Line(socket, reader);
  let sent = 0;
  let isLate = false;
  if (plan.leave) {
    const all = Buffer.concat(steps.map(({ bytes }) => bytes('none')));
    sent = steps.length;
    await line.write(all.subarray(0, Math.ceil(all.length * plan.leave.after)), plan.pieces);
    if (plan.leave.how === 'end') {
      socket.end();
      isLate = !(await line.until(() => false));
    } else await pause(plan.index % 7);
  } else if (plan.isPipelined) {
    sent = steps.length;
    await line.write(Buffer.concat(steps.map(({ bytes }) => bytes('none'))), plan.pieces);
    isLate = !(await line.until(() => reader.count >= steps.length));
  } else {
    for (const step of steps) {
      if (line.isClosed) break;
      const before = reader.count;
      sent++;
      await line.write(step.bytes(sessionIn(reader) ?? 'none'), plan.pieces);
      // The request may be incomplete. The client ends its side, so that the server does not wait for the rest.
      if (step.expect.kind === 'parser') socket.end();
      const isOpen = step.expect.kind === 'stream';
      isLate = !(await line.until(() => reader.count > before || (isOpen && hasBegun(reader))));
      if (isLate) break;
    }
  }
  line.hangUp();
  const noise = line.noise === undefined ? {} : { noise: line.noise };
  return { responses: reader.responses, sent, isLate, ...noise };
}

function sessionIn(reader: ResponseReader): string | undefined {
  return reader.responses.findLast(({ headers }) => headers['mcp-session-id'] !== undefined)?.headers[
    'mcp-session-id'
  ];
}

function hasBegun({ responses }: ResponseReader): boolean {
  return (responses.at(-1)?.body.length ?? 0) > 0;
}

/** A socket that can be awaited: until a condition holds, the connection ends, or time runs out. */
class Line {
  readonly #socket: Socket;
  #wake: (() => void) | undefined;
  isClosed = false;
  noise: string | undefined;

  constructor(socket: Socket, reader: ResponseReader) {
    this.#socket = socket;
    const close = (): void => {
      this.isClosed = true;
      this.#wake?.();
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        if (!(error instanceof NoHttp)) throw error;
        this.noise ??= error.message;
        close();
      }
      this.#wake?.();
    });
    socket.on('end', () => {
      reader.end();
      close();
    });
    // A server may close the connection after invalid input.
    socket.on('error', close);
    socket.on('close', close);
  }

  async write(bytes: Buffer, pieces: Plan['pieces']): Promise<void> {
    if (!pieces) {
      if (!this.isClosed) this.#socket.write(bytes);
      return;
    }
    for (let at = 0, turn = 0; at < bytes.length && !this.isClosed; turn++) {
      const length = pieces.lengths[turn % pieces.lengths.length] ?? 1;
      this.#socket.write(bytes.subarray(at, at + length));
      at += length;
      await (pieces.pauseMs > 0 ? pause(pieces.pauseMs) : nextTurn());
    }
  }

  /** Resolves to `false` on a timeout. The end of the connection also counts as the awaited event. */
  async until(isDone: () => boolean): Promise<boolean> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isDone() && !this.isClosed) {
      const left = deadline - Date.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }

  /** Closes the socket, so that it does not occupy a port. */
  hangUp(): void {
    this.#socket.resetAndDestroy();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
