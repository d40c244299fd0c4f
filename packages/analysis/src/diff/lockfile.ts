import { readFileSync, statSync } from 'node:fs';
import { canonicalJson, exceededLimit, isJsonObject } from '@toolfold/schema/internal';
import { readTextFile } from '../read-text-file.js';
import { saveFile } from '../replace-file.js';
import { CommandError, MAX_INPUT_BYTES } from '../command-error.js';
import { kindsIn, parseEntries } from './surface-entries.js';
import type { Surface, SurfaceItem, SurfaceTool } from './surface.js';
import { sortByName } from './surface.js';

export const LOCKFILE = 'toolfold.lock.json';
const VERSION = 1;
const MAX_DEPTH = 220;
const MAX_VALUES = 5_000_000;

/** Fixes the order of the fields in a lockfile. */
const order =
  'name aliases title description annotations scopes taskSupport _meta other inputDigest discriminator inputSchema outputSchema actions'.split(
    ' ',
  );

/** Writes a surface as JSON. Equal surfaces give equal text, so that version control shows real changes only. */
export function writeLockfile(surface: Surface): string {
  const tools = surface.tools.map((tool) =>
    arrange({ ...tool, ...(tool.actions ? { actions: sortByName(tool.actions).map(arrange) } : {}) }),
  );
  const { server, source, protocol, form, entries } = surface;
  return `${JSON.stringify({ toolfoldLock: VERSION, server, source, protocol, form, tools, ...entries }, undefined, 2)}\n`;
}

function arrange(item: SurfaceItem): Record<string, unknown> {
  const entries = Object.entries(item).filter(([, value]) => value !== undefined);
  const sorted = entries.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  // Sort nested keys, so that reordered code gives the same text. Actions are sorted already.
  return Object.fromEntries(
    sorted.map(([key, value]) => [key, key === 'actions' ? (value as unknown) : sortKeys(value)]),
  );
}

function sortKeys(value: unknown): unknown {
  return JSON.parse(canonicalJson(value)) as unknown;
}

/** Whether a file is a lockfile. Returns false for unreadable files. */
export function isLockfile(file: string): boolean {
  try {
    if (statSync(file).size > MAX_INPUT_BYTES) return false;
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(read) && 'toolfoldLock' in read;
  } catch {
    return false;
  }
}

/** Reads and validates a lockfile, because people and merges edit it. */
export function readLockfile(file: string): Surface {
  const text = readTextFile(file, 'Write it with toolfold lock.');
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    const hint = /^<{7} /m.test(text)
      ? ' It has conflict markers: resolve them, or run toolfold lock again.'
      : '';
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}.${hint}`);
  }
  if (!isJsonObject(read) || !('toolfoldLock' in read))
    throw new CommandError(`${file} is not a lockfile. Write one with toolfold lock.`);
  if (read['toolfoldLock'] !== VERSION)
    throw new CommandError(
      `${file} has version ${JSON.stringify(read['toolfoldLock'])}, but this toolfold reads version ${VERSION}. Write it again with toolfold lock.`,
    );
  if (exceededLimit(read, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES }))
    throw new CommandError(`${file} is nested too deep, or has more than ${MAX_VALUES} values.`);
  const { server, source, protocol, form, tools } = read;
  if (!Array.isArray(tools)) throw damaged(file, 'tools is not a list');
  if (source !== 'registry' && source !== 'server' && source !== 'list')
    throw damaged(file, 'source is none of registry, server and list');
  const entries = parseEntries(read);
  if (!entries) throw damaged(file, 'prompts or resources are not lists of entries');
  return {
    source,
    ...(kindsIn(entries).length > 0 ? { entries } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof protocol === 'string' ? { protocol } : {}),
    ...(typeof form === 'string' ? { form } : {}),
    tools: sortByName(tools.map((tool, index) => readTool(tool, file, `tools[${index}]`))),
  };
}

function readTool(value: unknown, file: string, place: string): SurfaceTool {
  const item = readItem(value, file, place);
  const { actions, discriminator, _meta, other, inputDigest } = value as Record<string, unknown>;
  const extras = {
    ...(isJsonObject(_meta) ? { _meta } : {}),
    ...(isJsonObject(other) ? { other } : {}),
    ...(typeof inputDigest === 'string' ? { inputDigest } : {}),
  };
  if (actions === undefined) return { ...item, ...extras };
  if (!Array.isArray(actions) || typeof discriminator !== 'string')
    throw damaged(file, `${place} has actions that are not a list, or no discriminator`);
  return {
    ...item,
    ...extras,
    discriminator,
    actions: sortByName(actions.map((action, index) => readItem(action, file, `${place}.actions[${index}]`))),
  };
}

function readItem(value: unknown, file: string, place: string): SurfaceItem {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') throw damaged(file, `${place} has no name`);
  for (const key of ['aliases', 'scopes'])
    if (value[key] !== undefined && !isTexts(value[key]))
      throw damaged(file, `${place}.${key} is not a list of texts`);
  for (const key of ['title', 'description', 'taskSupport'])
    if (value[key] !== undefined && typeof value[key] !== 'string')
      throw damaged(file, `${place}.${key} is not text`);
  for (const key of ['inputSchema', 'outputSchema', 'annotations'])
    if (value[key] !== undefined && !isJsonObject(value[key]))
      throw damaged(file, `${place}.${key} is not an object`);
  const { _meta: _, actions: __, discriminator: ___, other: ____, inputDigest: _____, ...item } = value;
  return item as unknown as SurfaceItem;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function damaged(file: string, problem: string): CommandError {
  return new CommandError(`${file} is damaged: ${problem}. Write it again with toolfold lock.`);
}

export function saveLockfile(file: string, text: string): void {
  saveFile(file, text, () =>
    isLockfile(file)
      ? undefined
      : 'is not a lockfile, so it is not replaced. Choose another file with --output.',
  );
}
