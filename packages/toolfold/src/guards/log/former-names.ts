import { getOrMake } from '../../values/get-or-make.js';
import type { Logger } from '../../values/logger.js';

/** Reported calls by logger. The sets stay small, because only former names that definitions list get here. */
const reported = new WeakMap<Logger, Set<string>>();

/** Logs the first call by a former name of a tool or action. */
export function warnFormerName(
  { logger }: { readonly logger: Logger | undefined },
  name: string,
  address: string,
): void {
  if (!logger) return;
  const names = getOrMake(reported, logger, () => new Set<string>());
  const call = `${address} ${name}`;
  if (names.has(call)) return;
  names.add(call);
  logger.warn({ name, address }, 'tool called by a former name');
}
