/** Parses HTTP/1.1 responses from a connection strictly, byte by byte. */

export interface RawResponse {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the whole body has arrived. */
  readonly isWhole: boolean;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: 'none' | 'chunked' | 'until-close' | { readonly length: number };
}

/** The received bytes are not HTTP. */
export class NoHttp extends Error {
  override readonly name = 'NoHttp';
}

export class ResponseReader {
  #pending: Buffer = Buffer.alloc(0);
  #head: Head | undefined;
  #body: Buffer[] = [];
  readonly #whole: RawResponse[] = [];
  readonly #isBodiless: (index: number) => boolean;

  /** `isBodiless` returns whether the request with that number was a HEAD. */
  constructor(isBodiless: (index: number) => boolean = () => false) {
    this.#isBodiless = isBodiless;
  }

  /** The received responses; the last may be incomplete. */
  get responses(): readonly RawResponse[] {
    if (!this.#head) return this.#whole;
    const { status, headers } = this.#head;
    return [...this.#whole, { status, headers, body: Buffer.concat(this.#body), isWhole: false }];
  }

  /** The number of complete responses. */
  get count(): number {
    return this.#whole.length;
  }

  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#step());
  }

  /** The connection has ended, and so has a body without a length. */
  end(): void {
    if (this.#head?.framing === 'until-close') this.#finish();
  }

  #step(): boolean {
    if (!this.#head) return this.#readHead();
    const { framing } = this.#head;
    if (framing === 'none') return this.#finish();
    if (framing === 'until-close') {
      this.#take(this.#pending.length);
      return false;
    }
    if (framing === 'chunked') return this.#readChunk();
    const missing = framing.length - this.#body.reduce((sum, part) => sum + part.length, 0);
    this.#take(Math.min(missing, this.#pending.length));
    return missing <= 0 || this.#body.reduce((sum, part) => sum + part.length, 0) === framing.length
      ? this.#finish()
      : false;
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.#pending.length > 65_536) throw new NoHttp('a head of more than 64 KiB');
      return false;
    }
    const [first = '', ...lines] = this.#pending.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1]);
    if (!status) throw new NoHttp(`a first line "${first.slice(0, 80)}"`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const at = line.indexOf(':');
      if (at < 1) throw new NoHttp(`a header "${line.slice(0, 80)}"`);
      const name = line.slice(0, at).toLowerCase();
      const value = line.slice(at + 1).trim();
      headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
    }
    this.#pending = this.#pending.subarray(end + 4);
    // An informational response (1xx) is not an answer.
    if (status < 200) return true;
    this.#head = { status, headers, framing: this.#framingOf(status, headers) };
    return true;
  }

  #framingOf(status: number, headers: Readonly<Record<string, string>>): Head['framing'] {
    if (status === 204 || status === 304 || this.#isBodiless(this.#whole.length)) return 'none';
    if (headers['transfer-encoding']?.toLowerCase() === 'chunked') return 'chunked';
    const length = headers['content-length'];
    if (length === undefined) return 'until-close';
    if (!/^\d+$/.test(length)) throw new NoHttp(`a length of "${length}"`);
    return { length: Number(length) };
  }

  #readChunk(): boolean {
    const end = this.#pending.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#pending.subarray(0, end).toString('latin1');
    if (!/^[0-9a-f]+$/i.test(line)) throw new NoHttp(`a chunk of length "${line.slice(0, 80)}"`);
    const size = Number.parseInt(line, 16);
    if (this.#pending.length < end + 2 + size + 2) return false;
    this.#pending = this.#pending.subarray(end + 2);
    this.#take(size);
    this.#pending = this.#pending.subarray(2);
    return size === 0 ? this.#finish() : true;
  }

  #take(size: number): void {
    if (size > 0) this.#body.push(this.#pending.subarray(0, size));
    this.#pending = this.#pending.subarray(size);
  }

  #finish(): boolean {
    if (this.#head) {
      const { status, headers } = this.#head;
      this.#whole.push({ status, headers, body: Buffer.concat(this.#body), isWhole: true });
    }
    this.#head = undefined;
    this.#body = [];
    return this.#pending.length > 0;
  }
}
