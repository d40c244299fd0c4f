import { existsSync } from 'node:fs';
import { loadLinearPatterns } from '@toolfold/schema/internal';
import { openTarget, whileOpen } from '../target/open-target.js';
import { describeTarget, readFormOptions, readTarget, readTargetOptions } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import {
  isLockfile,
  LOCKFILE,
  readEntries,
  readLockfile,
  readSurface,
  UsageError,
} from '@toolfold/analysis/internal';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';
import { openConfigSurface } from './config-surface.js';
import type { EntryKind, Surface } from '@toolfold/analysis/internal';

export type Side = { readonly name: string } & (
  | { readonly lockfile: string }
  | { readonly target: Target }
  | { readonly config: string }
);

const USE = 'See toolfold diff --help.';

/** Reads both sides of a comparison. If the command line has one side, the lockfile of the folder is the other. */
export function readSides(read: ReadArguments): readonly [before: Side, after: Side] {
  const { options, positionals, rest } = read;
  const words = [...positionals];
  const take = (option: string): Side | undefined => {
    const line = options.get(option)?.[0];
    return line === undefined ? undefined : readSide(line, options, `--${option}`);
  };
  const before = take('before');
  const last =
    rest === undefined
      ? undefined
      : toSide(readTarget({ options: withoutHeader(options), positionals: [], rest }).target);
  const config = readConfigSide(read);
  if (config && (options.has('after') || last))
    throw new UsageError(
      `Both --config and another option name the new version. Pass only one of them. ${USE}`,
    );
  const after = config ?? take('after') ?? last;
  if (options.has('after') && last)
    throw new UsageError(
      `Both --after and a command after -- name the new version. Pass only one of them. ${USE}`,
    );
  const given = words.map((word) => readSide(word, options));
  const sides = [before, ...given, after].filter((side) => side !== undefined);
  if (sides.length > 2) throw new UsageError(`${sides.length} versions given. Pass two. ${USE}`);
  const [one, other] = sides;
  if (!one)
    throw new UsageError(
      `No server given. Pass one to compare it with ${LOCKFILE}, or two to compare them. ${USE}`,
    );
  assertHeaders([one, other], options.has('header'));
  if (other) return [one, other];
  if (before) throw new UsageError(`Only --before is given. Pass the new version too. ${USE}`);
  if (!existsSync(LOCKFILE))
    throw new UsageError(
      `There is no ${LOCKFILE} in this folder. Write it with toolfold lock, or pass two versions. ${USE}`,
    );
  return [{ name: LOCKFILE, lockfile: LOCKFILE }, one];
}

export function readConfigSide({ options }: ReadArguments): Side | undefined {
  const config = options.get('config')?.[0];
  if (config === undefined) return undefined;
  const other = ['header', 'form', 'code-allow'].find((name) => options.has(name));
  if (other !== undefined) throw new UsageError(`--${other} cannot be used with --config.`);
  return { name: config, config };
}

/** Rejects headers for several origins, because they may contain secrets. */
function assertHeaders(sides: readonly (Side | undefined)[], hasHeader: boolean): void {
  if (!hasHeader) return;
  const urls = sides.flatMap((side) =>
    side && 'target' in side && 'url' in side.target ? [side.target.url] : [],
  );
  if (urls.length === 0) throw new UsageError('--header works only with a URL.');
  const [origin, ...others] = urls.map((url) => new URL(url).origin);
  if (others.some((other) => other !== origin))
    throw new UsageError(
      '--header would send the same headers to two servers. Save one list with toolfold lock --output, and compare that.',
    );
}

function readSide(text: string, options: ReadArguments['options'], option?: string): Side {
  const none = withoutHeader(options);
  if (text.startsWith('npm:')) {
    const [name = '', ...args] = splitWords(text.slice('npm:'.length), option ?? text);
    if (!/^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~*-]+)?$/.test(name) || name.startsWith('-'))
      throw new UsageError(
        `"${text}" does not name a package. Write npm:<name>@<version>, such as npm:some-server@1.2.0.`,
      );
    return {
      name: text,
      target: readTarget({ options: none, positionals: [], rest: ['npx', '-y', name, ...args] }).target,
    };
  }
  if (/^https?:\/\//i.test(text))
    return toSide(readTarget({ options, positionals: [text], rest: undefined }).target);
  if (isLockfile(text)) return { name: text, lockfile: text };
  if (option === undefined || existsSync(text))
    return toSide(readTarget({ options: none, positionals: [text], rest: undefined }).target);
  return toSide(readTarget({ options: none, positionals: [], rest: splitWords(text, option) }).target);
}

function toSide(target: Target): Side {
  return { name: describeTarget(target), target };
}

function withoutHeader(options: ReadArguments['options']): ReadArguments['options'] {
  return new Map([...options].filter(([name]) => name !== 'header'));
}

/** Splits a command line into words. Supports the quotes and backslashes of a shell, but no expansion. */
export function splitWords(line: string, option: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part, single, double, escaped] of line.matchAll(
    /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|[^\s'"\\]+|['"\\]/g,
  )) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (part === "'" || part === '"' || part === '\\') {
      throw new UsageError(`${option}: the command line ends inside of a quotation, or with a backslash.`);
    } else word = (word ?? '') + (single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? part);
  }
  return word === undefined ? words : [...words, word];
}

interface OpenSideOptions {
  readonly read: ReadArguments;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Form for a file that does not set its own, so that both sides have the same. */
  readonly form?: string | undefined;
  readonly kinds?: readonly EntryKind[];
}

export async function openSide(
  side: Side,
  { read, terminal, signal, form, kinds = [] }: OpenSideOptions,
): Promise<Surface> {
  await loadLinearPatterns();
  if ('lockfile' in side) return readLockfile(side.lockfile);
  if ('config' in side) return openConfigSurface(side.config, { read, terminal, signal, kinds });
  const isModule = 'file' in side.target && !/\.(?:json|jsonl|ndjson)$/i.test(side.target.file);
  const opening = openTarget(side.target, {
    ...readTargetOptions(read),
    ...(isModule ? readFormOptions(read, form) : {}),
    isWhole: true,
    terminal,
    signal,
    isProxy: true,
  });
  return whileOpen(opening, async (opened) => {
    const entries = await readEntries(opened, kinds);
    return { ...readSurface(opened), ...(kinds.length > 0 ? { entries } : {}) };
  });
}
