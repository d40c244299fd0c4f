// Features that Node, browsers and workers offer in different ways, or not at all.

/**
 * Stops errors from recording a stack trace, which takes 10 times as long as the rest of an error, until `resumeStackTraces`
 * gets the returned value. Returns `undefined` if the runtime has no such limit or has frozen it; errors then keep their traces.
 */
export function suspendStackTraces(): number | undefined {
  const limit = Error.stackTraceLimit;
  if (typeof limit !== 'number' || limit === 0) return undefined;
  try {
    Error.stackTraceLimit = 0;
    return limit;
  } catch {
    // The application has frozen the built-in objects.
    return undefined;
  }
}

export function resumeStackTraces(limit: number | undefined): void {
  if (limit !== undefined) Error.stackTraceLimit = limit;
}

/**
 * Whether a request may wait for timers and I/O that another request started. Cloudflare Workers cancel them with the request
 * that started them, so a request that waits for them would hang.
 */
export function sharesPendingWork(): boolean {
  const { process, navigator } = globalThis as {
    readonly process?: unknown;
    readonly navigator?: { readonly userAgent?: unknown };
  };
  return process !== undefined && navigator?.userAgent !== 'Cloudflare-Workers';
}
