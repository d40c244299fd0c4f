import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place in a file, with line and column counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Frame {
  readonly text: string;
  readonly place: Place | undefined;
}

const MAX_CAUSES = 8;
const MAX_FRAMES = 20;
/** Maximum number of frames if none is in the author's files. */
const MAX_FOREIGN = 5;
const MAX_MESSAGE = 2_000;

/**
 * Formats an error for the author of a server: the message, the source around its place, the author's frames, and the causes. Only
 * counts frames of packages, Toolfold and Node.
 */
export function describeError(error: unknown): string {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  const add = (thrown: unknown, prefix: string): void => {
    if (seen.has(thrown) || seen.size >= MAX_CAUSES) return;
    seen.add(thrown);
    lines.push(`${prefix}${headOf(thrown)}`, ...describeStack(thrown, seen.size === 1));
    if (!(thrown instanceof Error)) return;
    if (thrown instanceof AggregateError) for (const each of thrown.errors) add(each, 'Contains: ');
    if (thrown.cause !== undefined) add(thrown.cause, 'Caused by: ');
  };
  add(error, '');
  return lines.join('\n');
}

function headOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return clip(`Thrown: ${textOf(thrown)}`);
  const { code } = thrown as { code?: unknown };
  const name = thrown.name === '' ? 'Error' : thrown.name;
  const suffix = typeof code === 'string' && code !== name ? ` (${code})` : '';
  return clip(`${name}: ${thrown.message}`) + suffix;
}

function textOf(value: unknown): string {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}

function clip(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

function describeStack(thrown: unknown, showsCode: boolean): string[] {
  if (!(thrown instanceof Error)) return [];
  const frames = readFrames(thrown);
  const own = frames.filter(({ place }) => place && isOwn(place.file));
  const named = placeInMessage(thrown.message);
  // The message of a compiler names the place, and its frames add nothing.
  const foreign = named ? [] : frames.filter(({ text }) => !loaders.test(text));
  const shown = own.length > 0 ? own.slice(0, MAX_FRAMES) : foreign.slice(0, MAX_FOREIGN);
  const place = own[0]?.place ?? named;
  const hidden = frames.length - shown.length;
  return [
    ...(showsCode && place ? [codeFrame(place)].filter((code) => code !== '') : []),
    ...shown.map(({ text }) => `    at ${text}`),
    ...(hidden > 0 && shown.length > 0
      ? [`    … ${hidden} ${hidden === 1 ? 'frame' : 'frames'} in packages and Node`]
      : []),
  ];
}

/** Frames of module loaders, which say nothing about a file that does not load. */
const loaders = /node:internal\/modules|[\\/]node_modules[\\/](?:esbuild|tsx)[\\/]/;

/** Reads the place from esbuild's message. Its columns count from 0. */
function placeInMessage(message: string): Place | undefined {
  const [, file, line, column] = /^(.+?):(\d+):(\d+): ERROR:/m.exec(message) ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) + 1 };
}

/** Parses a stack trace. Skips lines of the message, which may look like frames. */
function readFrames({ stack, message }: Error): Frame[] {
  if (typeof stack !== 'string') return [];
  const start = message === '' ? 0 : Math.max(0, stack.indexOf(message)) + message.length;
  return stack
    .slice(stack.startsWith('    at ') ? 0 : start)
    .split('\n')
    .flatMap((line) => {
      const [, text] = /^\s+at (.+)$/.exec(line) ?? [];
      return text === undefined ? [] : [toFrame(text)];
    });
}

function toFrame(text: string): Frame {
  const call = text.replace(/^async /, '');
  // A path may contain ` (`, so a frame that begins with a path has no function name.
  const isPath = /^(?:\/|file:|node:|[A-Za-z]:[\\/])/.test(call);
  const [, name, path, line, column] =
    (isPath ? /^()(.+):(\d+):(\d+)$/ : /^(.*?) \((.+):(\d+):(\d+)\)$/).exec(call) ?? [];
  const file = toPath(path);
  if (file === undefined) return { text, place: undefined };
  const place = { file, line: Number(line), column: Number(column) };
  const shown = showPlace(place);
  // The code of a file runs inside a function that `toolfold dev` evaluates.
  return { text: name === '' || name === undefined || name === 'eval' ? shown : `${name} (${shown})`, place };
}

function toPath(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(text)) return text;
  try {
    return text.startsWith('file:') ? fileURLToPath(text.replace(/\?.*$/, '')) : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the packages. They may be linked, so their code may be outside `node_modules`. */
const packages = dirname(dirname(createRequire(import.meta.url).resolve('@toolfold/cli/package.json')));

function isOwn(file: string): boolean {
  if (file.includes(`${sep}node_modules${sep}`)) return false;
  const [, folder = ''] = file.startsWith(packages) ? file.slice(packages.length + 1).split(sep) : [];
  return folder !== 'dist' && folder !== 'src';
}

/** Formats a place relative to the current folder, so that terminals and editors make it a link. */
export function showPlace({ file, line, column }: Place): string {
  const path = relative(process.cwd(), file);
  return `${path.startsWith('..') ? file : path}:${line}:${column}`;
}

const AROUND = 2;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_LINE = 200;

/** Shows the lines around a place with a caret. Returns an empty text if the file cannot be read. */
export function codeFrame({ file, line, column }: Place): string {
  const source = readSource(file);
  if (source === undefined || line > source.length) return '';
  const first = Math.max(1, line - AROUND);
  const last = Math.min(source.length, line + AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = (source[number - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ');
    const mark = number === line ? '>' : ' ';
    shown.push(`  ${mark} ${String(number).padStart(width)} | ${text.slice(0, MAX_LINE)}`.trimEnd());
    if (number === line && column <= MAX_LINE)
      shown.push(`    ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`);
  }
  return shown.join('\n');
}

function readSource(file: string): string[] | undefined {
  try {
    return statSync(file).size > MAX_FILE_BYTES ? undefined : readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
}
