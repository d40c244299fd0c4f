/** @typedef {{ status: number, head: string, size: number, body: Buffer | undefined }} Answer */

/** @type {Buffer} */
const NOTHING = Buffer.alloc(0);

/**
 * Reads HTTP/1.1 responses from a connection, with a content length or in chunks. Bodies are measured but kept only on
 * request, because reading must cost less than answering.
 */
export class AnswerReader {
  #onAnswer;
  #isKeeping;
  /** @type {'head' | 'body' | 'size' | 'chunk' | 'trailer'} */
  #step = 'head';
  /** The bytes of an incomplete head or line. */
  #begun = NOTHING;
  #missing = 0;
  #status = 0;
  #head = '';
  #size = 0;
  /** @type {Buffer[]} */
  #kept = [];

  /**
   * @param {(answer: Answer) => void} onAnswer
   * @param {{ keep?: boolean }} [options]
   */
  constructor(onAnswer, { keep = false } = {}) {
    this.#onAnswer = onAnswer;
    this.#isKeeping = keep;
  }

  /** @param {Buffer} received */
  read(received) {
    let bytes = this.#begun.length === 0 ? received : Buffer.concat([this.#begun, received]);
    this.#begun = NOTHING;
    while (bytes.length > 0) {
      const used = this.#take(bytes);
      if (used === 0) {
        this.#begun = bytes;
        return;
      }
      bytes = bytes.subarray(used);
    }
  }

  /**
   * @param {Buffer} bytes
   * Reads the next part of a response.
   *
   * @returns the number of bytes that were read, or 0 if the part is incomplete
   */
  #take(bytes) {
    if (this.#step === 'head') return this.#takeHead(bytes);
    if (this.#step === 'body' || this.#step === 'chunk') return this.#takeBody(bytes);
    const end = bytes.indexOf('\r\n');
    if (end < 0) return 0;
    if (this.#step === 'size') {
      const size = Number.parseInt(bytes.toString('latin1', 0, end), 16);
      // Each chunk ends with a line break.
      this.#missing = size + 2;
      this.#step = size === 0 ? 'trailer' : 'chunk';
    } else if (end === 0) this.#finish();
    return end + 2;
  }

  /** @param {Buffer} bytes */
  #takeHead(bytes) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    const head = bytes.toString('latin1', 0, end);
    this.#head = head;
    this.#status = Number(head.slice(9, 12));
    this.#size = 0;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#missing = Number(length);
      this.#step = 'body';
      if (this.#missing === 0) this.#finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#step = 'size';
    else if (this.#status === 204) this.#finish();
    else throw new Error(`An answer without an end: ${head}`);
    return end + 4;
  }

  /** @param {Buffer} bytes */
  #takeBody(bytes) {
    const used = Math.min(bytes.length, this.#missing);
    this.#missing -= used;
    const closing = this.#step === 'chunk' ? 2 : 0;
    // The part of the bytes that is content, without the line break at the end of a chunk.
    const content = Math.max(0, used - Math.max(0, closing - this.#missing));
    this.#size += content;
    if (this.#isKeeping) this.#kept.push(Buffer.from(bytes.subarray(0, content)));
    if (this.#missing === 0) {
      if (this.#step === 'chunk') this.#step = 'size';
      else this.#finish();
    }
    return used;
  }

  #finish() {
    this.#step = 'head';
    const body = this.#isKeeping ? Buffer.concat(this.#kept) : undefined;
    this.#kept = [];
    this.#onAnswer({ status: this.#status, head: this.#head, size: this.#size, body });
  }
}
