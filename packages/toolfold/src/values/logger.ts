/** A structured logger, which takes fields first and then a message. Loggers of pino implement it. */
export interface Logger {
  /** Details for debugging. */
  debug(fields: object, message: string): void;
  /** Normal events, such as each request. */
  info(fields: object, message: string): void;
  /** Failures that the server handled, such as a failed call. */
  warn(fields: object, message: string): void;
  /** Errors of the server itself. */
  error(fields: object, message: string): void;
}

/** Wraps a logger so that it never throws, because a lost log line must not fail a call that has done its work. */
export function toSafeLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        const written = logger[level](fields, message) as unknown;
        if (written instanceof Promise) written.catch(nothing);
      } catch {
        // A failing logger cannot log its own failure.
      }
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function nothing(): void {}
