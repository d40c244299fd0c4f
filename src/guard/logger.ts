/** Where structured lines go: fields first, then a message. Loggers of pino are such. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
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
