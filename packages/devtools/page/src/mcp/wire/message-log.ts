/** A JSON-RPC message as sent, or an HTTP request or answer without one. */
export interface RecordedMessage {
  readonly id: number;
  /** Milliseconds since the page was opened. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  /** Kind of the message, such as `tools/call`, `notifications/progress`, `result` or `error`. */
  readonly label: string;
  /** The text as sent or received. Missing without a body. */
  readonly text?: string | undefined;
  /** The parsed text with exact numbers, if it is a JSON object. */
  readonly message?: unknown;
  /** HTTP method of a request, or status of an answer. */
  readonly http?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Keeps the first and the newest messages of a call, because it may report progress thousands of times. */
const FIRST = 100;
const NEWEST = 400;

let lastId = 0;

export class MessageLog {
  readonly #onChange: () => void;
  #first: RecordedMessage[] = [];
  #newest: RecordedMessage[] = [];
  #dropped = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add(message: Omit<RecordedMessage, 'id' | 'at'>): void {
    const recorded = { ...message, id: ++lastId, at: performance.now() };
    if (this.#first.length < FIRST) this.#first.push(recorded);
    else this.#newest.push(recorded);
    if (this.#newest.length > NEWEST * 2) {
      this.#dropped += this.#newest.length - NEWEST;
      this.#newest = this.#newest.slice(-NEWEST);
    }
    this.#onChange();
  }

  /** Returns the kept messages, and the number of dropped ones between them. */
  read(): { readonly messages: readonly RecordedMessage[]; readonly dropped: number } {
    return { messages: [...this.#first, ...this.#newest], dropped: this.#dropped };
  }
}

/** Returns a short label of a JSON-RPC message. */
export function labelOf(message: unknown): string {
  if (typeof message !== 'object' || message === null) return 'not a message';
  if ('method' in message) return String(message.method);
  if ('error' in message) return 'error';
  return 'result';
}
