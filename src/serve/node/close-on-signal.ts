const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** What is to be closed, and how long the process may take to end by itself after that. */
const running = new Map<() => Promise<void>, number>();

/** Closes a server when the process is asked to end, which then ends with 0. The result forgets it. */
export function closeOnSignal(close: () => Promise<void>, graceMs: number): () => void {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, closeAll);
  running.set(close, graceMs);
  return () => {
    running.delete(close);
    if (running.size === 0) stopListening();
  };
}

/** A second signal ends the process at once, as it would have without us. */
function closeAll(): void {
  stopListening();
  const patience = Math.max(...running.values());
  void Promise.allSettled([...running.keys()].map((close) => close())).then(() => {
    // Something else may hold the process. A timer that does not lets it end by itself before.
    setTimeout(() => process.exit(), patience).unref();
  });
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, closeAll);
}
