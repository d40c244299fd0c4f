import { ToolfoldError } from '@toolfold/schema/errors';
import type { Emit, FaultContext } from './events/call-events.js';
import type { ReportFault } from './request.js';

/** Errors for the author, and errors of other classes, come from the author's code. The caller causes the rest. */
export function isFault(thrown: unknown): boolean {
  return !(thrown instanceof ToolfoldError) || thrown.audience === 'author';
}

/**
 * Passes errors to the `onError` of a server. Without one, errors of the author's code that no logger has are written to
 * standard error, one line each.
 */
export function createFaultReporter(onError: ((error: unknown) => unknown) | undefined): ReportFault {
  /** Errors that were reported with a context. The transport reports them again without one. */
  const reported = new WeakSet<object>();
  return (error, context) => {
    if (typeof error === 'object' && error !== null) {
      if (context) reported.add(error);
      else if (reported.has(error)) return;
    }
    try {
      if (onError) tolerate(onError(error));
      else if (context?.isLogged !== true && isFault(error)) tolerate(printFault(error, context));
    } catch {
      // The listener itself failed, and there is no other place to report errors to.
    }
  };
}

export function emitFaults(report: ReportFault): Emit {
  return (event) => {
    if (event.kind === 'fault') report(event.error, event);
  };
}

function tolerate(returned: unknown): void {
  if (returned instanceof Promise) returned.catch(() => undefined);
}

/** Writes a line to standard error. Servers whose handlers never fail do not load the code for it. */
async function printFault(error: unknown, context: FaultContext | undefined): Promise<void> {
  const { describeFault } = await import('./describe-fault.js');
  // oxlint-disable-next-line no-console -- the only output that every runtime has
  console.error(describeFault(error, context));
}
