import { toWireName } from '../protocol/wire-name.js';
import { isJsonObject } from '../values/json-value.js';
import type { ContextValues } from '../callers/context-values.js';
import { assertOptions, invalidOption, isSecure } from '../values/assert-option.js';

/** A server that is started as a process of its own and speaks over its standard input and output. */
export interface UpstreamCommand {
  /** The program to start. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Added to the few variables that every process gets, such as `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that it works in. Default: that of this process. */
  readonly cwd?: string;
}

/** Headers by their names. */
export type UpstreamHeaders = Readonly<Record<string, string>>;

/** A server that speaks Streamable HTTP. */
export interface UpstreamAddress {
  /** Its endpoint: http or https. */
  readonly url: string | URL;
  /** Sent with every request. A function is asked for each context, which then has a connection of its own. */
  readonly headers?:
    | UpstreamHeaders
    | ((context: ContextValues) => UpstreamHeaders | Promise<UpstreamHeaders>);
}

/** A server to start, or one to reach. */
export type UpstreamTarget = UpstreamCommand | UpstreamAddress;

/** How a running server is called, and how much it may do. */
export interface FromMcpServerOptions {
  /** What the server is called in errors. By default its prefix, its command or its host. */
  readonly name?: string;
  /** Begins the name of every tool: with `git`, `commit` is called `git_commit`. */
  readonly prefix?: string;
  /** Told of tools that cannot be offered. Without it, one of them makes loading fail. */
  readonly onSkipped?: (name: string, reason: string) => void;
  /** Gets what a started process writes to its standard error. */
  readonly onStderr?: (text: string) => void;
  /** Told what went wrong outside of any call. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds without an answer or progress after which a call is given up. Default: 5 minutes. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds that a server has to start and answer, and to list its tools. A command that is started twice has them
   * each time. Default: a minute.
   */
  readonly connectTimeoutMs?: number;
  /** Which protocol the server is spoken to in. Default: `auto`, which finds out. */
  readonly protocol?: 'auto' | '2025' | '2026';
  /**
   * Whether a server of 2025 at an address may ask callers for their roots. It may keep what it is told, such as the
   * folders that it works in, for everybody who shares the connection. Default: false.
   */
  readonly roots?: boolean;
  /**
   * Maximum number of connections, one for each context. When all are taken, the least recently used idle one is
   * closed; if none is idle, a call waits up to `connectTimeoutMs`. Default: 100.
   */
  readonly maxConnections?: number;
  /** How many tools the server may list. Default: 2,000. */
  readonly maxTools?: number;
  /** How long the description of a tool may be, in characters. Default: 20,000. */
  readonly maxDescriptionLength?: number;
  /** How large one message of the server, or its whole list of tools, may be, in bytes. Default: 10 MiB. */
  readonly maxMessageBytes?: number;
}

/** The options with every default in place. */
export interface UpstreamSettings {
  readonly target: UpstreamTarget;
  readonly name: string;
  readonly prefix: string | undefined;
  readonly onSkipped: ((name: string, reason: string) => void) | undefined;
  readonly onStderr: (text: string) => void;
  readonly onError: (error: unknown) => void;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly protocol: 'auto' | '2025' | '2026';
  readonly roots: boolean;
  readonly maxConnections: number;
  readonly maxTools: number;
  readonly maxDescriptionLength: number;
  readonly maxMessageBytes: number;
}

type Rule = readonly [check: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;

const text: Rule = [isText, 'text'];
const callback: Rule = [isFunction, 'a function'];
const duration: Rule = [
  (value) => typeof value === 'number' && value > 0 && value < 2 ** 31,
  'milliseconds above 0 and below 2^31',
];
const count: Rule = [isCount, 'a whole number of at least 1'];

const optionRules: Readonly<Record<keyof FromMcpServerOptions, Rule>> = {
  name: text,
  prefix: [
    (value) => isText(value) && value.length <= 32 && toWireName(value) === value,
    'at most 32 letters, digits, _ and -',
  ],
  onSkipped: callback,
  onStderr: callback,
  onError: callback,
  timeoutMs: duration,
  connectTimeoutMs: duration,
  protocol: [(value) => value === 'auto' || value === '2025' || value === '2026', '"auto", "2025" or "2026"'],
  roots: [(value) => typeof value === 'boolean', 'true or false'],
  maxConnections: count,
  maxTools: count,
  maxDescriptionLength: count,
  maxMessageBytes: count,
};

const commandRules: Readonly<Record<keyof UpstreamCommand, Rule>> = {
  command: text,
  args: [
    (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
    'a list of text',
  ],
  env: [isTexts, 'an object of text'],
  cwd: text,
};

const addressRules: Readonly<Record<keyof UpstreamAddress, Rule>> = {
  url: [(value) => URL.canParse(String(value)), 'an address'],
  headers: [
    (value) => isFunction(value) || isTexts(value),
    'an object of text, or a function that gives one',
  ],
};

/** Checks what was given, and says what holds where nothing was. */
export function readSettings(target: UpstreamTarget, options: FromMcpServerOptions): UpstreamSettings {
  assertTarget(target);
  assertRules('fromMcpServer', options, optionRules);
  if (options.roots === true && isCommand(target))
    throw invalidOption(
      'fromMcpServer: roots',
      'false for a command',
      'Nothing says which call it asks for.',
    );
  return Object.freeze({
    target,
    name: options.name ?? options.prefix ?? nameOf(target),
    prefix: options.prefix,
    onSkipped: options.onSkipped,
    onStderr: options.onStderr ?? (() => {}),
    onError: options.onError ?? (() => {}),
    timeoutMs: options.timeoutMs ?? 300_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 60_000,
    protocol: options.protocol ?? 'auto',
    roots: options.roots ?? false,
    maxConnections: options.maxConnections ?? 100,
    maxTools: options.maxTools ?? 2_000,
    maxDescriptionLength: options.maxDescriptionLength ?? 20_000,
    maxMessageBytes: options.maxMessageBytes ?? 10 * 1024 * 1024,
  });
}

export function isCommand(target: UpstreamTarget): target is UpstreamCommand {
  return 'command' in target;
}

/** Throws unless they are what can be sent. */
export function assertHeaders(headers: unknown): asserts headers is UpstreamHeaders {
  if (!isTexts(headers)) throw invalidOption('fromMcpServer: what headers() gives', 'an object of text');
}

function assertTarget(target: unknown): asserts target is UpstreamTarget {
  const place = 'The server of fromMcpServer';
  if (!isJsonObject(target) || 'command' in target === 'url' in target)
    throw invalidOption(place, '{ command, args, env, cwd } or { url, headers }');
  if ('command' in target) return assertRules(place, target, commandRules);
  assertRules(place, target, addressRules);
  const url = new URL(String(target['url']));
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalidOption(`${place}: url`, 'an address of https or http');
  if (url.username !== '' || url.password !== '')
    throw invalidOption(`${place}: url`, 'an address without credentials', 'Put them into headers.');
  if (target['headers'] !== undefined && !isSecure(url))
    throw invalidOption(
      `${place}: url`,
      'an https address, or one of http on localhost, where headers are sent',
    );
}

function assertRules(place: string, options: unknown, rules: Readonly<Record<string, Rule>>): void {
  assertOptions(place, options, Object.keys(rules));
  for (const [name, value] of Object.entries(options as object) as [string, unknown][]) {
    const [check, expected] = rules[name] as Rule;
    if (value !== undefined && !check(value)) throw invalidOption(`${place}: ${name}`, expected);
  }
}

const runners = new Set(['npx', 'node', 'uvx', 'bunx', 'pnpm', 'deno', 'python', 'python3']);

const lastPart = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** The command itself, or what `npx` and the like are told to run. */
function nameOf(target: UpstreamTarget): string {
  if (!isCommand(target)) return new URL(target.url).host;
  const command = lastPart(target.command);
  const named = target.args?.find((arg) => !arg.startsWith('-'));
  return runners.has(command) && named !== undefined ? lastPart(named) : command;
}
