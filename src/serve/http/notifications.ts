import type { LoggingLevel } from '../../protocol/log-levels.js';
import type { RequestOptions } from '../../engine/request.js';
import type { JsonOrSseResponse } from './json-or-sse-response.js';

/** Tells a client how far its call has come, where it asked for that. */
export function progressOf(exchange: JsonOrSseResponse, progressToken: unknown): RequestOptions['progress'] {
  if (progressToken === undefined) return undefined;
  return (progress, total, message) =>
    notify(exchange, 'notifications/progress', {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
}

/** Sends log messages of the levels that the client wants. */
export function loggerOf(
  exchange: JsonOrSseResponse,
  isWanted: (level: LoggingLevel) => boolean,
): NonNullable<RequestOptions['log']> {
  return (level, data, logger) => {
    if (!isWanted(level)) return Promise.resolve();
    const params = { level, ...(logger === undefined ? {} : { logger }), data };
    return notify(exchange, 'notifications/message', params);
  };
}

/** Rejects what JSON cannot say. A handler need not wait for it: the failure is then its own business. */
function notify(exchange: JsonOrSseResponse, method: string, params: object): Promise<void> {
  const told = (async () => exchange.notify(method, params))();
  told.catch(nothing);
  return told;
}

function nothing(): void {}
