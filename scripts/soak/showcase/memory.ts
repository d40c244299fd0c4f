/** Memory of the server at one moment, in megabytes after garbage collection. */
export interface Sample {
  readonly minute: number;
  readonly heap: number;
  readonly rss: number;
}

/** Maximum growth of memory in megabytes. */
export const MAX_HEAP_GROWTH = 8;
export const MAX_RSS_GROWTH = 64;

/**
 * Reports memory that grew: the median of the last third may exceed that of the middle third by at most the maximum
 * growth. The first third is ignored, because code is compiled and caches and database buffers fill up.
 */
export function findGrowth(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  const middle = samples.slice(third, samples.length - third);
  const last = samples.slice(-third);
  const grown = (of: 'heap' | 'rss'): number =>
    median(last.map((sample) => sample[of])) - median(middle.map((sample) => sample[of]));
  return [
    ...(grown('heap') > MAX_HEAP_GROWTH ? [`The heap has grown by ${grown('heap').toFixed(1)} MB.`] : []),
    ...(grown('rss') > MAX_RSS_GROWTH ? [`The process has grown by ${grown('rss').toFixed(1)} MB.`] : []),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
