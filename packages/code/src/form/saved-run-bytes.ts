import { nextTurn } from '@toolfold/search/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import type { PausedRun } from './paused-run.js';

/** Compresses and writes this many bytes at once, so that no step blocks other requests. */
const STEP = 192 * 1024;
/** Limits the uncompressed state of a run to twice the default memory of code, so that operators can double that memory. */
const MAX_RAW = 64 * 1024 * 1024;
const LENGTH_BYTES = 4;

/** Thrown if the state of a run is too large to be kept. */
export class TooLarge extends Error {}

export interface UnpackedRun {
  readonly owner: string;
  readonly paused: PausedRun;
  readonly snapshot: Uint8Array;
}

/**
 * Packs the length of a run's data, the data as JSON and its snapshot, all compressed if the runtime can. Throws `TooLarge` over `max`
 * bytes.
 */
export async function packRun(
  owner: string,
  paused: PausedRun,
  snapshot: Uint8Array,
  max: number,
): Promise<Uint8Array> {
  const { snapshot: _, ...data } = paused;
  const json = new TextEncoder().encode(JSON.stringify({ owner, data }));
  if (LENGTH_BYTES + json.length + snapshot.length > MAX_RAW) throw new TooLarge();
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, json.length);
  const parts = [length, json, snapshot];
  if (typeof CompressionStream === 'function')
    return transform(steps(parts), new CompressionStream('gzip'), max);
  const whole = join(parts);
  if (whole.length > max) throw new TooLarge();
  return whole;
}

/** Reads the output of `packRun`. Throws if the bytes are something else. */
export async function unpackRun(packed: Uint8Array): Promise<UnpackedRun> {
  // The first byte of uncompressed data belongs to its length and is lower.
  const isCompressed = packed[0] === 0x1f;
  const bytes = isCompressed
    ? await transform(steps([packed]), new DecompressionStream('gzip'), MAX_RAW)
    : packed;
  const end = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const read: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, end)));
  const { owner, data } = isJsonObject(read) ? read : {};
  if (typeof owner !== 'string' || !isJsonObject(data)) throw new Error('This is no saved run.');
  return { owner, paused: data as unknown as PausedRun, snapshot: bytes.slice(end) };
}

function* steps(parts: readonly Uint8Array[]): Generator<Uint8Array<ArrayBuffer>> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += STEP)
      yield part.subarray(at, at + STEP) as Uint8Array<ArrayBuffer>;
}

/** Passes bytes through a stream of the runtime, which works outside of the event loop, and stops when its output is too large. */
async function transform(
  input: Iterable<Uint8Array<ArrayBuffer>>,
  { readable, writable }: CompressionStream | DecompressionStream,
  max: number,
): Promise<Uint8Array> {
  const writing = write(input, writable);
  // The reader below fails too, and its error has precedence.
  writing.catch(() => undefined);
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > max) {
      reader.cancel().catch(() => undefined);
      throw new TooLarge();
    }
    chunks.push(value);
  }
  await writing;
  return join(chunks);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function write(
  input: Iterable<Uint8Array<ArrayBuffer>>,
  writable: CompressionStream['writable'],
): Promise<void> {
  const writer = writable.getWriter();
  for (const step of input) {
    await writer.ready;
    await writer.write(step);
  }
  await writer.close();
}

export function countTexts(packed: Uint8Array): number {
  return Math.ceil(packed.length / STEP);
}

/** Converts packed bytes one text at a time, each in its own turn of the event loop: the largest take 100 ms in all. */
export async function* toTexts(packed: Uint8Array): AsyncGenerator<string> {
  for (let at = 0; at < packed.length; at += STEP) {
    await nextTurn();
    yield toBase64(packed.subarray(at, at + STEP));
  }
}

export async function fromTexts(texts: readonly string[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const text of texts) {
    await nextTurn();
    parts.push(fromBase64(text));
  }
  return join(parts);
}

export async function digestOf(packed: Uint8Array): Promise<string> {
  const made = await crypto.subtle.digest('SHA-256', packed as Uint8Array<ArrayBuffer>);
  return toBase64(new Uint8Array(made));
}

/** Passes this many arguments to one `String.fromCharCode` call, because more could exceed the stack. */
const CODES = 8_192;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CODES)
    text += String.fromCharCode(...bytes.subarray(at, at + CODES));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  const codes = atob(text);
  const bytes = new Uint8Array(codes.length);
  for (let at = 0; at < codes.length; at++) bytes[at] = codes.charCodeAt(at);
  return bytes;
}
