import type { CallToolResult } from 'toolfold';

/** The texts of a result, joined by commas. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join();

/** A tool named "t" without arguments. */
export const toolWith = (handler: (call: never) => unknown, more: object = {}) => ({
  name: 't',
  description: 'Does something',
  inputSchema: {},
  handler: handler as () => unknown,
  ...more,
});

/** A logger, and the lines that it has collected. */
export function collectLogs() {
  const lines: unknown[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, ...fields, message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
