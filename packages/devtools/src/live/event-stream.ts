import type { ServerResponse } from 'node:http';
import type { LiveCall, LiveStatistics, PageEvent } from '../page-events.js';

/** SSE comments keep the connection open and reveal a closed page. */
const HEARTBEAT_MS = 15_000;

/** Events of one page. Drops events while the page does not read, to limit memory. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  /** The latest calls and statistics that the page missed, and the revision if it missed a change. */
  #missedCalls: readonly LiveCall[] = [];
  #missedStatistics: LiveStatistics | undefined;
  #missedRevision: number | undefined;
  /** Number of calls since the last `calls` event. */
  #seen = 0;

  constructor(response: ServerResponse, onClose: () => void) {
    this.#response = response;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      connection: 'keep-alive',
    });
    response.flushHeaders();
    this.#heartbeat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(':\n\n');
    }, HEARTBEAT_MS).unref();
    response.on('drain', () => this.#catchUp());
    response.on('close', () => {
      clearInterval(this.#heartbeat);
      onClose();
    });
    // A broken connection is closed anyway, so ignore its error.
    response.on('error', () => undefined);
  }

  sendCalls(seen: number, calls: readonly LiveCall[]): void {
    this.#seen += seen;
    this.#missedCalls = calls;
    this.#catchUp();
  }

  sendStatistics(statistics: LiveStatistics): void {
    this.#missedStatistics = statistics;
    this.#catchUp();
  }

  sendChange(revision: number): void {
    this.#missedRevision = revision;
    this.#catchUp();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#response.end();
  }

  #catchUp(): void {
    if (
      this.#missedRevision !== undefined &&
      this.#write({ event: 'change', revision: this.#missedRevision })
    )
      this.#missedRevision = undefined;
    if (this.#seen > 0 && this.#write({ event: 'calls', seen: this.#seen, calls: this.#missedCalls })) {
      this.#seen = 0;
      this.#missedCalls = [];
    }
    if (this.#missedStatistics && this.#write({ event: 'statistics', statistics: this.#missedStatistics }))
      this.#missedStatistics = undefined;
  }

  /** Returns whether the event was written. */
  #write(event: PageEvent): boolean {
    if (this.#response.writableNeedDrain || this.#response.writableEnded) return false;
    this.#response.write(`event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`);
    return true;
  }
}
