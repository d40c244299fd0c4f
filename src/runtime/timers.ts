/** Lets the process exit while a timer is pending. Only Node needs this. */
export function unrefTimer(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
}

/** Starts an interval that does not keep a Node process alive. */
export function startInterval(run: () => void, ms: number): ReturnType<typeof setInterval> {
  const timer = setInterval(run, ms);
  unrefTimer(timer);
  return timer;
}
