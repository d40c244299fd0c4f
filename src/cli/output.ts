/** Written through this, and not to where a module that was loaded prints: that goes to standard error. */
let writeOut = (text: string): void => void process.stdout.write(text);
/** What writes to standard output, once nobody else does. */
let writeRaw: typeof process.stdout.write | undefined;
let isHeard = false;

export function print(text: string): void {
  // Whoever reads may have seen enough, as `head` has. What was begun is still ended in order.
  if (!isHeard) process.stdout.on('error', () => (writeOut = () => {}));
  isHeard = true;
  writeOut(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

export function say(line: string): void {
  process.stderr.write(`toolfold: ${line}\n`);
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

/** Names and descriptions come from elsewhere: on one line, and without what moves the cursor of a terminal. */
export function toLine(said: unknown, length = Number.POSITIVE_INFINITY): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
  // oxlint-disable-next-line no-control-regex
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
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
