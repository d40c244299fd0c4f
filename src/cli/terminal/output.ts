/** Written through this, and not to where a module that was loaded prints: that goes to standard error. */
let writeOut = (text: string): void => void process.stdout.write(text);
/** What writes to standard output, once nobody else does. */
let writeRaw: typeof process.stdout.write | undefined;
let isHeard = false;

/** Writes to standard output: to a file or a pipe as it is, at a terminal without what would do more than show. */
export function print(text: string): void {
  hearErrors();
  writeOut(withNewline(process.stdout.isTTY ? toVisible(text) : text));
}

/** The same JSON wherever it goes: what a terminal would act on is escaped. */
export function printJson(value: unknown, indent: number | undefined = 2): void {
  print(toVisible(JSON.stringify(value, undefined, indent)));
}

export function say(line: string): void {
  complain(`toolfold: ${toVisible(line)}`);
}

/** Writes to standard error, under the same rule as `print`. */
export function complain(text: string): void {
  passOn(withNewline(text));
}

/** What another process wrote to its standard error, piece by piece. */
export function passOn(text: string): void {
  hearErrors();
  process.stderr.write(process.stderr.isTTY ? toVisible(text) : text);
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Whoever reads may have seen enough, as `head` has. What was begun is still ended in order. */
function hearErrors(): void {
  if (isHeard) return;
  isHeard = true;
  process.stdout.on('error', () => (writeOut = () => {}));
  process.stderr.on('error', () => (process.stderr.write = () => true));
}

/** What moves a cursor, colours, rings, or turns the order of letters round. Lines and tabs stay. */
// oxlint-disable-next-line no-control-regex
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** With escapes in place of what a terminal would act on. */
function toVisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(acting, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What was written has got out. */
export async function flushOutput(): Promise<void> {
  const flushes = [
    writeRaw ?? process.stdout.write.bind(process.stdout),
    process.stderr.write.bind(process.stderr),
  ];
  await Promise.all(flushes.map((write) => new Promise<void>((resolve) => write('', () => resolve()))));
}

/** From here on only `print` writes to standard output: a module that prints must not end up in somebody's JSON. */
export function keepStdout(): void {
  if (writeRaw) return;
  const write = process.stdout.write.bind(process.stdout);
  writeRaw = write;
  writeOut = (text) => void write(text);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
}

const lineBreaking =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** Names and descriptions come from elsewhere: on one line, and without what moves the cursor of a terminal. */
export function toLine(said: unknown, length = Number.POSITIVE_INFINITY): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
  const line = text.replaceAll(lineBreaking, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

const PATIENCE_MS = 1_000;

/** Says what takes long, once it does and somebody is looking. */
export async function withNotice<T>(text: string, work: Promise<T>): Promise<T> {
  const timer = process.stderr.isTTY ? setTimeout(() => say(`${text} …`), PATIENCE_MS) : undefined;
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
