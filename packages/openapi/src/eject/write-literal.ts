const WIDTH = 100;

/** Code that is written unquoted, such as the name of a variable. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Writes a value as a TypeScript literal. An object is written in one line if it fits. */
export function writeLiteral(value: unknown, indent = ''): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => writeLiteral(item, inner))
    : Object.entries(value).flatMap(([key, each]) =>
        each === undefined ? [] : [`${writeKey(key)}: ${writeLiteral(each, inner)}`],
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  const space = Array.isArray(value) ? '' : ' ';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

/** Writes text in single quotes. Characters that end a line, a comment or a script are escaped. */
export function writeText(value: string): string {
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)
    .replaceAll(
      /[\u007F-\u009F\u200B-\u200F\u2028-\u202F\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu,
      (character) =>
        [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
    );
  return `'${escaped}'`;
}

function writeKey(key: string): string {
  // `__proto__` without brackets would set the prototype.
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeText(key);
}
