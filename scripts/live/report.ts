/** What a server in a process of its own says of itself to the process that started it. */
export interface Report {
  /** In bytes, after garbage was collected. */
  readonly heapUsed: number;
  /** What the process has of the machine, in bytes. */
  readonly rss: number;
  /** For how long, at most, it worked at one thing without looking at another since the last report. */
  readonly maxBlockMs: number;
  readonly connections: number;
  /** What Node warned of. */
  readonly warnings: readonly string[];
}
