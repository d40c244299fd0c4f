import { describe, expect, it } from 'vitest';
import type { LoggingLevel } from './mcp-types.js';
import { isLogged, isLoggingLevel } from './mcp-types.js';

const levels: LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

describe('levels of log messages', () => {
  it('include the requested level and those above', () => {
    for (const [asked, threshold] of levels.entries())
      expect(levels.filter((level) => isLogged(level, threshold))).toEqual(levels.slice(asked));
  });

  it('are all sent if no level was requested', () => {
    expect(levels.every((level) => isLogged(level, undefined))).toBe(true);
  });

  it('are recognised only by their names', () => {
    expect(levels.every(isLoggingLevel)).toBe(true);
    for (const other of ['', 'DEBUG', 'warn', 'toString', '__proto__', 0, null, undefined, ['debug']])
      expect(isLoggingLevel(other)).toBe(false);
  });
});
