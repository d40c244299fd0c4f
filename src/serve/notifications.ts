import type { LoggingLevel } from '../compile/tool-definition.js';
import type { RequestOptions } from '../registry/request-context.js';
import type { Exchange } from './exchange.js';

type OnError = (error: unknown) => void;

/** Tells a client how far its call has come, where it asked for that. */
export function progressOf(
  exchange: Exchange,
  progressToken: unknown,
  onError: OnError,
): RequestOptions['progress'] {
  if (progressToken === undefined) return undefined;
  return async (progress, total, message) => {
    notify(exchange, onError, 'notifications/progress', {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  };
}

/** Sends log messages of the levels that the client wants. */
export function loggerOf(
  exchange: Exchange,
  isWanted: (level: LoggingLevel) => boolean,
  onError: OnError,
): RequestOptions['log'] {
  return async (level, data, logger) => {
    if (!isWanted(level)) return;
    notify(exchange, onError, 'notifications/message', {
      level,
      ...(logger === undefined ? {} : { logger }),
      data,
    });
  };
}

/** Nobody need wait for it: what JSON cannot say is reported here and does not end the process. */
function notify(exchange: Exchange, onError: OnError, method: string, params: object): void {
  try {
    exchange.notify(method, params);
  } catch (error) {
    onError(error);
  }
}
