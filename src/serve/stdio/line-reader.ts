const NEWLINE = 10;

/** Splits a stream of bytes into lines of text. */
export class LineReader {
  readonly #maxBytes: number;
  /** The pieces of the line that is not complete yet. */
  #pieces: Buffer[] = [];
  #size = 0;
  #isFirst = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the incomplete line exceeds the limit. The reader cannot be used afterwards. */
  get isTooLong(): boolean {
    return this.#size > this.#maxBytes;
  }

  /** Returns the lines that a chunk completes, up to the first one that is too long. */
  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      if (this.isTooLong) return lines;
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** The last line, when the stream has ended without a newline. */
  end(): string {
    return this.#take();
  }

  #add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.isTooLong) this.#pieces = [];
  }

  #take(): string {
    const [piece] = this.#pieces;
    const bytes = this.#pieces.length === 1 && piece ? piece : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    const line = bytes.toString();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    // Windows programs begin a stream with a byte order mark, which JSON does not allow.
    return isFirst && line.startsWith('\uFEFF') ? line.slice(1) : line;
  }
}
