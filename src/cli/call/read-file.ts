import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../terminal/exit-codes.js';

const MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const STDIN = 0;

/** Where text comes from: a path, or `-` for standard input, which can be read once. */
export interface TextSource {
  readonly path: string;
  /** What of the command line asks for it, for whoever reads what is wrong. */
  readonly wantedBy: string;
  /** What to write where no file was meant. */
  readonly hint?: string;
}

let inputTaker: string | undefined;

/** Reads text of UTF-8. Sizes say nothing about pipes and devices, so reading ends where there is too much. */
export function readText({ path, wantedBy, hint = '' }: TextSource): string {
  const isInput = path === '-';
  const what = isInput ? 'standard input' : `the file "${path}"`;
  const fail = (why: string): UsageError => new UsageError(`${wantedBy}: ${what} ${why}.${hint}`);
  if (isInput && inputTaker !== undefined) throw fail(`is already read by ${inputTaker}`);
  if (isInput) inputTaker = wantedBy;
  let bytes: Buffer | undefined;
  try {
    bytes = isInput ? readAll(STDIN) : readPath(path);
  } catch (error) {
    const { code } = error as { code?: string };
    throw fail(
      code === 'ENOENT' ? 'is not there' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`,
    );
  }
  if (!bytes) throw fail(`has more than ${MAX_BYTES / 1024 / 1024} MiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fail('is no text of UTF-8');
  }
}

function readPath(path: string): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    return readAll(file);
  } finally {
    closeSync(file);
  }
}

/** Everything, or nothing where that is too much. */
function readAll(file: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= MAX_BYTES;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSome(file, chunk);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    size += count;
  }
  return undefined;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function readSome(file: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(file, chunk);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EOF') return 0;
      // A terminal or a pipe that has nothing yet.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}
