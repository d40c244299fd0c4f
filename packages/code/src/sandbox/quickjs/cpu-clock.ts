/** Thrown through the WASM frames of a guest that has used its time. The guest cannot catch it. */
export class CpuExceeded extends Error {
  override readonly name = 'CpuExceeded';
}

/** Measured: QuickJS interrupts a tight loop this often in a millisecond, after every 10,000 jumps and calls. */
const TICKS_PER_MS = 16;
/** Measured: so many jobs of promises take as long as the code between two interrupts. */
const JOBS_PER_TICK = 60;

/**
 * Measures and limits the computing time of a guest. On Cloudflare Workers the system clock stands still while code runs, so this clock
 * counts interrupts and jobs there.
 */
export class CpuClock {
  readonly #limitMs: number;
  readonly #readCpuMs: () => number;
  #usedMs: number;
  #startedAt: number | undefined;
  #ticks = 0;
  /** The CPU time of the thread, minus what the run had used before. */
  #cpuStart: number | undefined;

  /** If `readCpuMs` returns NaN, the clock measures elapsed time, including time in which the thread waits for a core. */
  constructor(limitMs: number, usedMs = 0, readCpuMs = () => NaN) {
    this.#limitMs = limitMs;
    this.#usedMs = usedMs;
    this.#readCpuMs = readCpuMs;
  }

  get usedMs(): number {
    return this.#usedMs + (this.#startedAt === undefined ? 0 : this.#elapsedMs(this.#startedAt));
  }

  /** Starts the clock, unless it is running. */
  start(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = performance.now();
    this.#ticks = 0;
    this.#cpuStart ??= this.#readCpuMs() - this.#usedMs;
  }

  stop(): void {
    if (this.#startedAt !== undefined) this.#correct();
    this.#usedMs = this.usedMs;
    this.#startedAt = undefined;
  }

  /** Called by QuickJS between instructions. */
  tick(): void {
    this.#ticks += 1;
    this.check();
  }

  /** Called before each job of a promise. */
  countJob(): void {
    this.#ticks += 1 / JOBS_PER_TICK;
    this.check();
  }

  check(): void {
    if (this.isOver) throw new CpuExceeded();
  }

  get isOver(): boolean {
    // Time after the correction does not count here, because the thread may have waited for a core since.
    return this.usedMs > this.#limitMs && (this.#correct() ?? this.usedMs) > this.#limitMs;
  }

  /** Switches from elapsed time to CPU time, which is slower to read but never larger, and returns it if it can be read. */
  #correct(): number | undefined {
    const usedMs = this.#readCpuMs() - (this.#cpuStart ?? NaN);
    if (Number.isNaN(usedMs)) return undefined;
    this.#usedMs = usedMs;
    this.#startedAt = performance.now();
    return usedMs;
  }

  #elapsedMs(startedAt: number): number {
    const elapsed = performance.now() - startedAt;
    return elapsed === 0 ? this.#ticks / TICKS_PER_MS : elapsed;
  }
}
