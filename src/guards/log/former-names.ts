import type { Logger } from '../../values/logger.js';

/** The former names that were reported, for each logger. Only names that definitions list get here. */
const reported = new WeakMap<Logger, Set<string>>();

/** Logs the first call by a former name of a tool or action. */
export function warnFormerName(
  { logger }: { readonly logger: Logger | undefined },
  name: string,
  address: string,
): void {
  if (!logger) return;
  let names = reported.get(logger);
  if (!names) reported.set(logger, (names = new Set()));
  const call = `${address} ${name}`;
  if (names.has(call)) return;
  names.add(call);
  logger.warn({ name, address }, 'tool called by a former name');
}
