import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose_gc');
const gc = runInNewContext('gc') as () => void;

/** The bytes in use after a full garbage collection, on the heap and outside of it. */
export async function usedMemory(): Promise<number> {
  // Buffers outside of the heap are freed by the collection after the one that finds them.
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
