import type { Readable, Writable } from 'node:stream';
import { exitCodes, UsageError, MAX_INPUT_BYTES } from '@toolfold/analysis/internal';

type Signal = 'SIGINT' | 'SIGTERM';

interface SignalSource {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
}

/** Streams and signals of a command: those of the process, or those of a test. */
export interface Host extends SignalSource {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Milliseconds before a terminal shows what the command is waiting for. */
const NOTICE_MS = 1_000;

/** Writes results to standard output and everything else to standard error. */
export class Terminal {
  readonly host: Host;
  #writeOut: (text: string, done?: () => void) => void;
  #writeErr: (text: string, done?: () => void) => void;
  #inputReader: string | undefined;
  /** The original write function of standard output, while it is replaced. */
  #reserved: typeof process.stdout.write | undefined;

  constructor(host: Host) {
    this.host = host;
    this.#writeOut = host.stdout.write.bind(host.stdout);
    this.#writeErr = host.stderr.write.bind(host.stderr);
    // A reader such as `head` may close the pipe early. The command still finishes normally.
    host.stdout.on('error', () => (this.#writeOut = drop));
    host.stderr.on('error', () => (this.#writeErr = drop));
  }

  get isInteractive(): boolean {
    return this.host.stdin.isTTY === true && this.host.stderr.isTTY === true;
  }

  /** Writes a result to standard output. Escapes control characters only at a terminal. */
  print(text: string): void {
    this.#writeOut(withNewline(this.host.stdout.isTTY === true ? escapeControls(text) : text));
  }

  /** Writes text with colours at a terminal. Texts of servers must have passed `toLine`. */
  printColoured(write: (isColoured: boolean) => string): void {
    const isTerminal = this.host.stdout.isTTY === true;
    const isColoured = isTerminal && (process.env['NO_COLOR'] ?? '') === '';
    const text = write(isColoured);
    if (!isColoured) this.print(text);
    // Allow only colours, which the command writes itself, and escape all other control characters.
    else this.#writeOut(withNewline(text.split(COLOUR).map(escapeOthers).join('')));
  }

  /** Writes JSON to standard output. Always escapes control characters. */
  printJson(value: unknown, indent: number | undefined = 2): void {
    this.print(escapeControls(JSON.stringify(value, undefined, indent)));
  }

  notify(line: string): void {
    this.printError(`toolfold: ${escapeControls(line)}`);
  }

  /** Writes a line to standard error, escaped like `print`. */
  printError(text: string): void {
    this.writeError(withNewline(text));
  }

  writeError(text: string): void {
    this.#writeErr(this.host.stderr.isTTY === true ? escapeControls(text) : text);
  }

  /** Shows at a terminal what the command is doing if the work takes longer than a second. */
  async withNotice<T>(text: string, work: Promise<T>): Promise<T> {
    const isWatched = this.host.stderr.isTTY === true;
    const timer = isWatched ? setTimeout(() => this.notify(`${text} …`), NOTICE_MS) : undefined;
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads standard input, which is possible only once. `wantedBy` names the option or field in errors. */
  async readInput(wantedBy: string): Promise<Buffer | undefined> {
    if (this.#inputReader !== undefined)
      throw new UsageError(`${wantedBy}: standard input is already read by ${this.#inputReader}.`);
    this.#inputReader = wantedBy;
    return readAll(this.host.stdin);
  }

  /** Redirects output of a loaded module to standard error, so that standard output contains only the result. */
  reserveStdout(): void {
    const { stdout, stderr } = this.host;
    if (stdout !== process.stdout) return;
    this.#reserved ??= process.stdout.write;
    process.stdout.write = stderr.write.bind(stderr) as typeof process.stdout.write;
  }

  releaseStdout(): void {
    if (this.#reserved) process.stdout.write = this.#reserved;
    this.#reserved = undefined;
  }

  async flush(): Promise<void> {
    await Promise.all(
      [this.#writeOut, this.#writeErr].map((write) => new Promise<void>((resolve) => write('', resolve))),
    );
  }
}

/** Reads a stream to its end. Returns `undefined` above 64 MiB, because pipes and devices may never end. */
export async function readAll(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_INPUT_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Replaces the write function of a closed stream. */
function drop(_: string, done?: () => void): void {
  done?.();
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Characters that move the cursor, colour, ring the bell or reverse the text direction. Line feeds and tabs are not among them. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A colour, kept by `split`. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001b\[\d{1,2}m)/;

function escapeOthers(part: string): string {
  return COLOUR.test(part) ? part : escapeControls(part);
}

function escapeControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: Signal) {
    super('interrupted');
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** Calls the listener for the first signal. The second signal has its default effect and ends the process. */
function onSignal(source: SignalSource, listener: (signal: Signal) => void): () => void {
  const listen = (signal: Signal): void => {
    forget();
    listener(signal);
  };
  const forget = (): void => {
    source.off('SIGINT', listen);
    source.off('SIGTERM', listen);
  };
  source.on('SIGINT', listen);
  source.on('SIGTERM', listen);
  return forget;
}

export async function withSignals<T>(
  source: SignalSource,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forget = onSignal(source, (signal) => controller.abort(new Interrupted(signal)));
  try {
    return await work(controller.signal);
  } finally {
    forget();
  }
}

export async function untilSignal(source: SignalSource, ended?: Promise<void>): Promise<void> {
  let forget: (() => void) | undefined;
  const signalled = new Promise<void>((resolve) => (forget = onSignal(source, () => resolve())));
  await Promise.race([signalled, ...(ended ? [ended] : [])]);
  forget?.();
}
