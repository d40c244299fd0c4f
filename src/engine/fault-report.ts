import { ToolfoldError } from '../errors.js';
import type { FaultContext, ReportFault } from './request.js';

/** Whether an error is the fault of the author's code, and not of the caller. */
export function isFault(thrown: unknown): boolean {
  return !(thrown instanceof ToolfoldError) || thrown.audience === 'author';
}

/**
 * Passes errors to the `onError` of a server. Without one, errors of the author's code that no logger has are written to
 * standard error, one line each.
 */
export function createFaultReporter(onError: ((error: unknown) => unknown) | undefined): ReportFault {
  /** Errors of handlers, which reach the transport as well. */
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

function tolerate(returned: unknown): void {
  if (returned instanceof Promise) returned.catch(() => undefined);
}

/** Writes a line to standard error. Servers whose handlers never fail do not load the code for it. */
async function printFault(error: unknown, context: FaultContext | undefined): Promise<void> {
  const { describeFault } = await import('./describe-fault.js');
  // oxlint-disable-next-line no-console -- the only output that every runtime has
  console.error(describeFault(error, context));
}
