/** MCP's levels of log messages, from the least to the most severe. */
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency';

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (levels as readonly unknown[]).includes(value);
}

/** Whether a client with this threshold gets messages of `level`. A client without a threshold gets all messages. */
export function isLogged(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold === undefined || levels.indexOf(level) >= levels.indexOf(threshold);
}
