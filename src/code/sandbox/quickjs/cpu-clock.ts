/** Thrown through the WASM frames of a guest that has used its time. Nothing in the guest can catch it. */
export class CpuExceeded extends Error {
  override readonly name = 'CpuExceeded';
}

/** Interrupts of QuickJS in one millisecond of a tight loop, measured. QuickJS interrupts after 10,000 jumps and calls. */
const TICKS_PER_MS = 16;
/** The jobs of promises that take as long as the code between two interrupts, measured. */
const JOBS_PER_TICK = 60;

/**
 * Measures and limits the time in which a guest computes. On Cloudflare Workers, the clock stands still while code runs; there, the clock
 * counts interrupts and jobs instead.
 */
export class CpuClock {
  readonly #limitMs: number;
  readonly #readCpuMs: (() => number) | undefined;
  #usedMs: number;
  #startedAt: number | undefined;
  #ticks = 0;
  /** The CPU time of the thread when the run had used nothing. */
  #cpuStart: number | undefined;

  /** Without `readCpuMs`, elapsed time counts, also if the thread waits for a core. */
  constructor(limitMs: number, usedMs = 0, readCpuMs?: () => number) {
    this.#limitMs = limitMs;
    this.#usedMs = usedMs;
    this.#readCpuMs = readCpuMs;
  }

  get usedMs(): number {
    return this.#usedMs + (this.#startedAt === undefined ? 0 : this.#elapsedMs(this.#startedAt));
  }

  /** Starts to count, unless it counts already. */
  start(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = performance.now();
    this.#ticks = 0;
    this.#cpuStart ??= this.#readCpuMs && this.#readCpuMs() - this.#usedMs;
  }

  stop(): void {
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
    if (this.usedMs <= this.#limitMs) return;
    this.#correct();
    if (this.usedMs > this.#limitMs) throw new CpuExceeded();
  }

  /** Replaces the elapsed time by the CPU time. It takes longer to read, and is never more. */
  #correct(): void {
    if (this.#cpuStart === undefined || !this.#readCpuMs) return;
    this.#usedMs = this.#readCpuMs() - this.#cpuStart;
    this.#startedAt = performance.now();
  }

  #elapsedMs(startedAt: number): number {
    const elapsed = performance.now() - startedAt;
    return elapsed === 0 ? this.#ticks / TICKS_PER_MS : elapsed;
  }
}
