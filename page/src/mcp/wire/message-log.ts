/** A JSON-RPC message as it crossed the network, or a request or answer without one, with the HTTP exchange around it. */
export interface RecordedMessage {
  readonly id: number;
  /** Milliseconds since the page was opened. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  /** Such as `tools/call`, `notifications/progress`, `result` or `error`. */
  readonly label: string;
  /** The text as it was sent or received. Missing for requests and answers without a body. */
  readonly text?: string | undefined;
  /** The value of the text, if it is a JSON object, with exact numbers. */
  readonly message?: unknown;
  /** The method of the request, or the status of the answer. */
  readonly http?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Messages kept of one call: the first ones, and the newest. A call may report progress thousands of times. */
const FIRST = 100;
const NEWEST = 400;

let lastId = 0;

/** The messages of one call, in order. */
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

  /** The kept messages, and how many are missing between them. */
  read(): { readonly messages: readonly RecordedMessage[]; readonly dropped: number } {
    return { messages: [...this.#first, ...this.#newest], dropped: this.#dropped };
  }
}

/** Names a JSON-RPC message for a list. */
export function labelOf(message: unknown): string {
  if (typeof message !== 'object' || message === null) return 'not a message';
  if ('method' in message) return String(message.method);
  if ('error' in message) return 'error';
  return 'result';
}
