/** Formats a whole number with separators, such as 12,345. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Formats a number for narrow columns: 950, 1.2k, 34k, 1.2M. */
export function formatShort(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 9950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Formats a number with its noun: 1 tool, 2 tools. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** Formats a share of a whole: 0.4 %, 12 %. */
export function formatShare(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)} %`;
}

/** Formats milliseconds: 0.4 ms, 12 ms, 3.2 s. */
export function formatMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
