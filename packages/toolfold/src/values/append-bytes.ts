/**
 * Appends a chunk to the first `size` bytes of a buffer. Returns the buffer, or a larger one if it was full. The first chunk is
 * not copied. Later chunks are, because an object for each chunk of one byte would take 250 times the memory of its data.
 */
export function appendBytes(buffer: Uint8Array, size: number, chunk: Uint8Array): Uint8Array {
  if (size === 0) return chunk;
  const needed = size + chunk.length;
  let grown = buffer;
  if (needed > buffer.length) {
    grown = new Uint8Array(2 * needed);
    grown.set(buffer.subarray(0, size));
  }
  grown.set(chunk, size);
  return grown;
}

export const noBytes: Uint8Array = new Uint8Array();
