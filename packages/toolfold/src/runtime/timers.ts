/** Lets the process exit while a timer is pending. Only Node has and needs this. */
export function unrefTimer(timer: ReturnType<typeof setTimeout>): void {
  (timer as { unref?: () => void }).unref?.();
}

/** Starts an interval that does not keep a Node process alive. */
export function startInterval(run: () => void, ms: number): ReturnType<typeof setInterval> {
  const timer = setInterval(run, ms);
  unrefTimer(timer);
  return timer;
}
