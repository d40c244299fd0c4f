import type { McpTool } from 'toolfold/model';
import { exceededLimit, isJsonObject } from '@toolfold/schema/internal';
import { CommandError, listWireTool, readTextFile, UsageError } from '@toolfold/analysis/internal';
import { assertChoice, selectTools } from './find-tool.js';
import type { OpenOptions } from './open-options.js';
import type { OpenTarget } from '@toolfold/analysis/internal';
import type { Target } from './read-target.js';
import { isSpecification } from './specification.js';

const MAX_TOOLS = 20_000;
/** Maximum depth of a tool. Deeper ones cannot be shown. */
const MAX_DEPTH = 200;
const MAX_VALUES = 5_000_000;

export interface SavedTool {
  readonly tool: McpTool;
  readonly page: number;
  /** JSON pointer into the page, such as `/result/tools/3`. */
  readonly pointer: string;
}

export interface SavedList {
  readonly file: string;
  readonly text: string;
  /** The JSON values of the file: one, or one per line. */
  readonly pages: readonly unknown[];
  readonly tools: readonly SavedTool[];
}

/** Whether to read a file as a saved `tools/list` instead of loading it as a module. */
export function isSavedList(file: string): boolean {
  return /\.(?:json|jsonl|ndjson)$/i.test(file) && !isSpecification(file);
}

/** Rejects a saved list, for commands that call tools. */
export function assertCallable(target: Target): void {
  if ('file' in target && isSavedList(target.file)) throw notCallable(target.file);
}

function notCallable(file: string): UsageError {
  return new UsageError(
    `${file} is a saved list of tools, which cannot be called. Pass a file that exports a registry, a URL, or -- and a command.`,
  );
}

/** Opens a saved `tools/list` as a server that can be inspected but not called. */
export async function openSavedList(file: string, options: OpenOptions): Promise<OpenTarget> {
  if (options.form !== undefined)
    throw new UsageError(
      `--form works only with a file that exports a registry. ${file} is a saved list of tools, which has one form.`,
    );
  const { tools: saved } = await readSavedList(file);
  const tools = saved.map(({ tool }) => tool);
  for (const { name, first, second } of findDuplicates(saved))
    options.terminal.notify(`${file}: ${first} and ${second} are both named "${name}"`);
  assertChoice(tools, options);
  return {
    kind: 'saved',
    server: {},
    tools: selectTools(tools, options).map(listWireTool),
    toolsets: [],
    listOthers: async () => ({ prompts: [], resources: [], templates: [] }),
    costs: async () => [],
    call: async () => {
      throw notCallable(file);
    },
    close: async () => {},
  };
}

/**
 * Reads a saved `tools/list`: an array of tools, `{ tools }`, or a JSON-RPC response. Several pages may be in an array or on
 * separate lines.
 */
export async function readSavedList(file: string): Promise<SavedList> {
  const text = readTextFile(file);
  const pages = parsePages(file, text);
  const isLines = pages.length > 1;
  const tools = pages.flatMap((page, index) => {
    const at = isLines ? `line ${index + 1}, ` : '';
    if (isJsonObject(page) && 'toolfoldLock' in page)
      throw new CommandError(
        `${file} is a lockfile, which does not hold the tools as clients see them. Pass the file, URL or command of the server.`,
      );
    const found = findTools(page);
    if (!found) {
      const { value, pointer } = findBroken(page);
      const place = [
        ...(isLines ? [`line ${index + 1}`] : []),
        ...(pointer === '' ? [] : [`entry ${pointer}`]),
      ];
      throw noTools(file, place.length > 0 ? place.join(', ') : undefined, value);
    }
    return found.map(({ value, pointer }) => readTool({ file, at, value, pointer, page: index }));
  });
  if (tools.length > MAX_TOOLS)
    throw new CommandError(`${file} has ${tools.length} tools. At most ${MAX_TOOLS} are read.`);
  return { file, text, pages, tools };
}

function parsePages(file: string, text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split('\n').map((line) => line.trim());
    const written = lines.filter((line) => line !== '');
    try {
      if (written.length > 1 && written.every((line) => line.startsWith('{') || line.startsWith('[')))
        return lines.map((line) => (line === '' ? [] : (JSON.parse(line) as unknown)));
    } catch {
      // Report the error of the complete text, which says more than that of one line.
    }
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

interface Found {
  readonly value: unknown;
  readonly pointer: string;
}

/** Finds the tools of a page. Returns `undefined` if the page has no known format. */
function findTools(page: unknown): Found[] | undefined {
  if (Array.isArray(page)) {
    const parts = page.map((value, index) => ({ value: value as unknown, pointer: `/${index}` }));
    if (!parts.some(({ value }) => isPage(value))) return parts;
    if (!parts.every(({ value }) => findList(value))) return undefined;
    return parts.flatMap(({ value, pointer }) => listed(value, pointer));
  }
  return findList(page) ? listed(page, '') : undefined;
}

/** Whether a value of an array is a page rather than a tool. */
function isPage(value: unknown): boolean {
  return findList(value) !== undefined && typeof (value as { name?: unknown }).name !== 'string';
}

/** Finds the value with an unknown format: the page itself, or an entry of a list of pages. */
function findBroken(page: unknown): Found {
  const entries: unknown[] = Array.isArray(page) ? page : [];
  const at = entries.findIndex((value) => !findList(value));
  return at === -1 ? { value: page, pointer: '' } : { value: entries[at], pointer: `/${at}` };
}

function listed(page: unknown, prefix: string): Found[] {
  const { list, pointer } = findList(page) ?? { list: [], pointer: '' };
  return list.map((value, index) => ({ value, pointer: `${prefix}${pointer}/${index}` }));
}

function findList(
  page: unknown,
): { readonly list: readonly unknown[]; readonly pointer: string } | undefined {
  if (!isJsonObject(page)) return undefined;
  const { tools, result } = page;
  if (Array.isArray(tools)) return { list: tools, pointer: '/tools' };
  const inner = isJsonObject(result) ? result['tools'] : undefined;
  return Array.isArray(inner) ? { list: inner, pointer: '/result/tools' } : undefined;
}

function noTools(file: string, place: string | undefined, page: unknown): CommandError {
  const where = place === undefined ? file : `${file}, ${place},`;
  const error = isJsonObject(page) ? page['error'] : undefined;
  if (isJsonObject(error))
    return new CommandError(`${where} is a JSON-RPC error instead of an answer of tools/list.`);
  const wrong = findWrongTools(page);
  if (wrong)
    return new CommandError(
      `${where} is not a saved tools/list: "${wrong.name}" is ${describeJson(wrong.tools)}. It must be an array of tools, which may be empty: {"tools": []}.`,
    );
  const keys = isJsonObject(page) ? Object.keys(page).slice(0, 5) : [];
  const has = isJsonObject(page)
    ? keys.length === 0
      ? 'it is empty'
      : `it has ${keys.map((key) => JSON.stringify(key)).join(', ')}`
    : `it is ${describeJson(page)}`;
  return new CommandError(
    `${where} is not a saved tools/list: ${has}. Save an array of tools, {"tools": […]}, or the JSON-RPC response of tools/list.`,
  );
}

/** Finds the field of a page that should contain the tools but holds another value. */
function findWrongTools(page: unknown): { readonly name: string; readonly tools: unknown } | undefined {
  if (!isJsonObject(page)) return undefined;
  if (Object.hasOwn(page, 'tools')) return { name: 'tools', tools: page['tools'] };
  const { result } = page;
  if (!isJsonObject(result) || !Object.hasOwn(result, 'tools')) return undefined;
  return { name: 'result.tools', tools: result['tools'] };
}

function describeJson(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

interface Place {
  readonly file: string;
  readonly at: string;
  readonly value: unknown;
  readonly pointer: string;
  readonly page: number;
}

function readTool({ file, at, value, pointer, page }: Place): SavedTool {
  const where = `${file}: ${at}tool ${pointer}`;
  if (!isJsonObject(value)) throw new CommandError(`${where} is ${describeJson(value)}, not an object.`);
  const { name } = value;
  if (typeof name !== 'string') throw new CommandError(`${where} has no name.`);
  const limit = exceededLimit(value, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES });
  if (limit === 'maxDepth') throw new CommandError(`${where} is nested more than ${MAX_DEPTH} levels deep.`);
  if (limit === 'maxValues') throw new CommandError(`${where} has more than ${MAX_VALUES} values.`);
  return { tool: toMcpTool(name, value), page, pointer };
}

/** Keeps the valid fields of a tool. Keeps the input schema unchanged, so that checks find its mistakes. */
export function toMcpTool(name: string, fields: Readonly<Record<string, unknown>>): McpTool {
  const { title, description, inputSchema, outputSchema, annotations, ...rest } = fields;
  return {
    ...rest,
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: (isJsonObject(inputSchema) ? inputSchema : {}) as McpTool['inputSchema'],
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(isJsonObject(annotations) ? { annotations } : {}),
  };
}

interface Duplicate {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

function* findDuplicates(tools: readonly SavedTool[]): Generator<Duplicate> {
  const seen = new Map<string, string>();
  for (const { tool, pointer } of tools) {
    const first = seen.get(tool.name);
    if (first === undefined) seen.set(tool.name, pointer);
    else yield { name: tool.name, first, second: pointer };
  }
}
