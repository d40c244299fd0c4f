import { createLineReader } from '../../api/sse.js';

/** Splits an event stream into lines, and replaces the data of each message. */
export class EventLines {
  readonly #replace: (data: string) => string;
  readonly #onId: (id: string) => void;
  readonly #readLines = createLineReader();
  #data: string[] = [];
  #id = '';
  #isFirst = true;

  /** `onId` is called with the id of every complete event, because the client resumes after that event. */
  constructor(replace: (data: string) => string, onId: (id: string) => void) {
    this.#replace = replace;
    this.#onId = onId;
  }

  /** Takes a chunk of the stream and returns the text to forward. */
  take(piece: string): string {
    return this.#lines(piece);
  }

  /** Returns the remaining text when the stream ends. Without a final empty line, the last event is incomplete and does not count. */
  end(): string {
    const passed = this.#lines('', true);
    this.#data = [];
    return passed;
  }

  #lines(piece: string, isLast?: boolean): string {
    return this.#readLines(piece, isLast)
      .map((line) => this.#line(line))
      .join('');
  }

  #line(given: string): string {
    const line = this.#isFirst ? given.replace(/^\uFEFF/, '') : given;
    this.#isFirst = false;
    if (line === 'data' || line.startsWith('data:')) {
      this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      return '';
    }
    if (line.startsWith('id:')) this.#id = line.slice(line.startsWith('id: ') ? 4 : 3);
    return line === '' ? `${this.#flush()}\n` : `${line}\n`;
  }

  #flush(): string {
    const id = this.#id;
    this.#id = '';
    if (this.#data.length === 0) return '';
    if (id !== '') this.#onId(id);
    const data = this.#data.join('\n');
    this.#data = [];
    return this.#replace(data)
      .split('\n')
      .map((line) => `data: ${line}\n`)
      .join('');
  }
}
