/** Removes the oldest entries of a map until it has at most `max`, and returns the removed values. */
export function evictOldest<K, V>(map: Map<K, V>, max: number): readonly V[] {
  const evicted = [...map].slice(0, Math.max(map.size - max, 0));
  for (const [key] of evicted) map.delete(key);
  return evicted.map(([, value]) => value);
}
