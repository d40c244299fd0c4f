import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult, ContentBlock } from 'toolfold';
import { CommandError } from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';

interface PrintOptions {
  readonly name: string;
  readonly folder: string;
  readonly force: boolean;
  readonly write: (text: string) => void;
}

/** Prints the text of a result, or its structured content if there is no text. Saves other content to files. */
export function printResult(result: CallToolResult, options: PrintOptions): void {
  const { write } = options;
  const { content = [], structuredContent } = result;
  const taken = new Set<string>();
  for (const block of content) write(describeBlock(block, { ...options, taken }));
  const hasText = content.some(({ type }) => type === 'text');
  if (structuredContent !== undefined && !hasText) write(JSON.stringify(structuredContent, undefined, 2));
}

/** `taken` lists the files of this result, so that one does not overwrite another. */
type BlockOptions = PrintOptions & { readonly taken: Set<string> };

function describeBlock(block: ContentBlock, options: BlockOptions): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return saved(block.type, block.mimeType, block.data, options.name, options);
    case 'resource_link': {
      const { uri, name, mimeType, description } = block as unknown as Readonly<Record<string, unknown>>;
      const more = description === undefined ? '' : `\n  ${toLine(description)}`;
      return `link: ${toLine(name ?? '')} ${toLine(uri)}${inBrackets(mimeType)}${more}`;
    }
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource as Readonly<Record<string, unknown>>;
      if (typeof text === 'string') return `resource: ${toLine(uri)}${inBrackets(mimeType)}\n${text}`;
      const name =
        String(uri)
          .split(/[/?#]/)
          .findLast((part) => part !== '') ?? '';
      // Begin with the tool's name, so that a server cannot choose the complete file name.
      return saved(
        `resource ${toLine(uri)}`,
        mimeType,
        String(blob ?? ''),
        `${options.name}-${name}`,
        options,
      );
    }
    default:
      return JSON.stringify(block, undefined, 2);
  }
}

function inBrackets(mimeType: unknown): string {
  return typeof mimeType === 'string' ? ` (${toLine(mimeType)})` : '';
}

function saved(what: string, mimeType: unknown, data: string, name: string, options: BlockOptions): string {
  const bytes = Buffer.from(data, 'base64');
  const path = saveFile(bytes, {
    ...options,
    name,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
  });
  options.taken.add(path);
  return `${what}: ${path}${inBrackets(mimeType)}, ${bytes.length} bytes`;
}

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
};
const MAX_TRIES = 10_000;

interface SaveOptions {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly folder: string;
  readonly force: boolean;
  /** Files that `force` does not overwrite. */
  readonly taken?: ReadonlySet<string>;
}

/** Saves a new file and returns its path. The name comes from a server, so it is sanitised and cannot leave the folder. */
export function saveFile(
  bytes: Uint8Array,
  { name, mimeType = '', folder, force, taken }: SaveOptions,
): string {
  const safe =
    name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._-]+/, '')
      .slice(0, 100) || 'result';
  const dot = safe.lastIndexOf('.');
  const hasEnding = dot > 0 && /^[A-Za-z0-9]{1,5}$/.test(safe.slice(dot + 1));
  const stem = hasEnding ? safe.slice(0, dot) : safe;
  const ending = hasEnding ? safe.slice(dot + 1) : endingOf(mimeType);
  try {
    mkdirSync(folder, { recursive: true });
    for (let count = 1; count < MAX_TRIES; count++) {
      const path = join(folder, `${stem}${count === 1 ? '' : `-${count}`}.${ending}`);
      if (taken?.has(path) !== true && writeNew(path, bytes, force)) return path;
    }
  } catch (error) {
    throw new CommandError(`The result cannot be written to a file: ${(error as Error).message}`);
  }
  throw new CommandError(`${folder} contains too many files named like ${stem}.${ending}.`);
}

function endingOf(mimeType: string): string {
  const plain = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  return Object.hasOwn(endings, plain) ? (endings[plain] as string) : 'bin';
}

function writeNew(path: string, bytes: Uint8Array, force: boolean): boolean {
  if (force) {
    replace(path, bytes);
    return true;
  }
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces a regular file. Never follows a symbolic link, because it may lead to a file that the user did not name. */
function replace(path: string, bytes: Uint8Array): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new Error(`${path} is not a regular file, so it is not replaced`);
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', ...(there ? { mode: there.mode } : {}) });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
