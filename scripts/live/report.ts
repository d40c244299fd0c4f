/** The report that a server process sends to its parent. */
export interface Report {
  /** Heap in bytes after garbage collection. */
  readonly heapUsed: number;
  /** Resident set size in bytes. */
  readonly rss: number;
  /** The longest block of the event loop since the last report. */
  readonly maxBlockMs: number;
  readonly connections: number;
  /** Warnings of Node. */
  readonly warnings: readonly string[];
}
