/** Marks a number as text, with characters that nobody uses. */
const MARK = '\u{f1f1f}';

/**
 * A text that is a JSON list or object, and how to write it again. JavaScript would round numbers of many
 * digits, so these are carried as marked strings.
 */
export function readJsonText(
  text: string,
): { value: unknown; write: (value: unknown) => string } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(text)?.[1];
  const write = (part: unknown): string => JSON.stringify(part, null, indent);
  if (!/\d[\d.]{14}/.test(text) || text.includes(MARK)) return { value, write };
  // The text is known to be JSON, so every quote has its other half and nothing is tried twice.
  const marked = text.replaceAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.]{14,}(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${MARK}${token}"`,
  );
  return {
    value: JSON.parse(marked),
    write: (part) => write(part).replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'gu'), '$1'),
  };
}

export function toJson(value: unknown): string {
  return JSON.stringify(value);
}

export function toPrettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
