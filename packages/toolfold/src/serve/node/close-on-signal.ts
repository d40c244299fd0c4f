const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Maps the `close` of each running server to the milliseconds that the process then has to exit by itself. */
const running = new Map<() => Promise<void>, number>();

/** Closes a server on SIGINT or SIGTERM, after which the process exits with 0. Returns a function that undoes this. */
export function closeOnSignal(close: () => Promise<void>, graceMs: number): () => void {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, closeAll);
  running.set(close, graceMs);
  return () => {
    running.delete(close);
    if (running.size === 0) stopListening();
  };
}

/** Closes all servers. A second signal ends the process at once, because the listeners are removed first. */
function closeAll(): void {
  stopListening();
  const patience = Math.max(...running.values());
  void Promise.allSettled([...running.keys()].map((close) => close())).then(() => {
    // Other handles may keep the process alive. The timer is unreferenced, so that the process may exit sooner.
    setTimeout(() => process.exit(), patience).unref();
  });
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, closeAll);
}
