const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Waits for a signal, or until the server has ended. A second signal has its default effect and ends the process. */
export function untilAskedToEnd(ended?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of SIGNALS) process.off(signal, end);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, end);
    void ended?.then(end);
  });
}
