/** Where structured lines go: fields first, then a message. Loggers of pino are such. */
export interface Logger {
  /** What helps to find a mistake. */
  debug(fields: object, message: string): void;
  /** What happens in normal work, such as each request. */
  info(fields: object, message: string): void;
  /** What failed, such as a call, or was made up for. */
  warn(fields: object, message: string): void;
  /** What went wrong in the server itself. */
  error(fields: object, message: string): void;
}

/** The same logger, which no longer fails: a line that is lost must not make a call fail that has done its work. */
export function toSafeLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        const written = logger[level](fields, message) as unknown;
        if (written instanceof Promise) written.catch(nothing);
      } catch {
        // There is nowhere to say so.
      }
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function nothing(): void {}
