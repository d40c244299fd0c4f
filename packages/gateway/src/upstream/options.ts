import { packageVersion, toWireName } from 'toolfold/internal';
import {
  anything,
  assertOptions,
  callback,
  count,
  flag,
  invalidOption,
  isFunction,
  isJsonObject,
  isPlain,
  isSecure,
  oneOf,
  positiveMs,
  text,
} from '@toolfold/schema/internal';
import type { ContextValues } from 'toolfold/web';
import type { Rules } from '@toolfold/schema/internal';

import type { ToolOverrides } from './overrides/tool-override.js';

export const MAX_NAME_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 20_000;

/** `fromMcpServer` passes these questions on from every server. */
export const proxyCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
} satisfies AskedCapabilities;

/** A server that is started as a child process and speaks over its standard input and output. */
export interface UpstreamCommand {
  /** The program to start, as a path or a name on the PATH. */
  readonly command: string;
  /** Arguments of the program, which no shell interprets. */
  readonly args?: readonly string[];
  /**
   * Environment variables, added to the few that every process gets, such as `PATH` and `HOME`. A function is called once per
   * context, and each context gets its own process.
   */
  readonly env?:
    | Readonly<Record<string, string>>
    | ((
        context: ContextValues,
      ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
}

/** Maps the names of HTTP headers to their values. */
export type UpstreamHeaders = Readonly<Record<string, string>>;

/** A server that speaks Streamable HTTP. */
export interface UpstreamAddress {
  /** The http or https endpoint of the server, without credentials. */
  readonly url: string | URL;
  /** Headers of every request. A function is called once per context, and each context gets its own connection. */
  readonly headers?:
    | UpstreamHeaders
    | ((context: ContextValues) => UpstreamHeaders | Promise<UpstreamHeaders>);
}

/** A command to start, or the address of a running server. */
export type UpstreamTarget = UpstreamCommand | UpstreamAddress;

/** Configures how `fromMcpServer` connects to a server, and what it offers of it. */
export interface FromMcpServerOptions {
  /** The name of the server in errors. Default: its prefix, its command or its host. */
  readonly name?: string;
  /** Prefix of every tool name: with `git`, `commit` becomes `git_commit`. */
  readonly prefix?: string;
  /** Called for each tool that cannot be offered. Without it, such a tool makes loading fail. */
  readonly onSkipped?: (name: string, reason: string) => void;
  /** Called with the text that the process writes to its standard error. */
  readonly onStderr?: (text: string) => void;
  /** Called with errors that belong to no call. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds without an answer or progress after which a call times out. Default: 5 minutes. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds that a server has to start and answer, and to list its tools. A command that is started twice has this
   * time for each start. Default: 1 minute.
   */
  readonly connectTimeoutMs?: number;
  /**
   * Milliseconds for both starts of a command together. The first one, which probes the protocol, has half of them. Default: none.
   *
   * @internal
   */
  readonly connectLimitMs?: number | undefined;
  /** The protocol of the server. Default: `auto`, which probes the server. */
  readonly protocol?: 'auto' | '2025' | '2026';
  /**
   * Whether a 2025 server at an address may ask callers for their roots. The server may keep the roots of one caller,
   * and use them for every caller that shares the connection. Default: false.
   */
  readonly roots?: boolean;
  /**
   * Maximum number of connections, one for each context. When all are taken, the least recently used idle one is
   * closed; if none is idle, a call waits up to `connectTimeoutMs`. Default: 100.
   */
  readonly maxConnections?: number;
  /** Maximum number of tools, of prompts, of resources and of resource templates that the server may list. Default: 2,000. */
  readonly maxTools?: number;
  /** Maximum size of one message of the server, and of each whole list, in bytes. Default: 10 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * How to check that idle connections still answer, or false for no checks. Default: every 30 seconds while the server is
   * followed, otherwise no checks.
   */
  readonly healthCheck?: UpstreamHealthCheck | false;
  /**
   * Changes to the tools, by the names that the server gives them: other names and descriptions, hints, default and fixed arguments,
   * scopes and limits. A tool whose override does not fit goes to `onSkipped`, and an override without a tool to `onError`. Default:
   * none.
   */
  readonly overrides?: ToolOverrides;
}

/** Configures how often a server is checked, and when it counts as down. */
export interface UpstreamHealthCheck {
  /** Milliseconds between two checks. Default: 30,000. */
  readonly everyMs?: number;
  /** Milliseconds within which the server has to answer a check. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * How many checks and attempts to connect must fail in a row until the server counts as down. The items of a followed server
   * are then removed until it answers. Default: 3.
   */
  readonly failures?: number;
}

/** The capabilities that a connection announces: those of the questions that it can pass on. */
export type AskedCapabilities = Readonly<
  Partial<Record<'elicitation' | 'sampling' | 'roots', Record<string, Record<string, never>>>>
>;

export interface ConnectionSettings {
  readonly target: UpstreamTarget;
  readonly name: string;
  /** Sent to the server as the name and version of the client. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: AskedCapabilities;
  readonly protocol: 'auto' | '2025' | '2026';
  readonly connectTimeoutMs: number;
  readonly connectLimitMs?: number | undefined;
  readonly timeoutMs: number;
  readonly maxMessageBytes: number;
  readonly onStderr: (text: string) => void;
  readonly onError: (error: unknown) => void;
}

/** The options of `fromMcpServer` with every default filled in. */
export interface UpstreamSettings extends ConnectionSettings {
  readonly prefix: string | undefined;
  readonly onSkipped: ((name: string, reason: string) => void) | undefined;
  readonly maxConnections: number;
  readonly maxTools: number;
  readonly healthCheck: Required<UpstreamHealthCheck>;
  /** `followed` checks a server only while a registry follows it. */
  readonly checked: 'all' | 'followed' | 'none';
  readonly overrides: ToolOverrides | undefined;
}

const isTexts = (value: unknown): boolean =>
  (isPlain(value) || value === process.env) && Object.values(value).every((each) => typeof each === 'string');

const optionRules: Rules<keyof FromMcpServerOptions> = {
  name: text,
  prefix: [
    (value) => typeof value === 'string' && value !== '' && value.length <= 32 && toWireName(value) === value,
    'at most 32 letters, digits, _ and -',
  ],
  onSkipped: callback,
  onStderr: callback,
  onError: callback,
  timeoutMs: positiveMs,
  connectTimeoutMs: positiveMs,
  connectLimitMs: positiveMs,
  protocol: oneOf('auto', '2025', '2026'),
  roots: flag,
  maxConnections: count,
  maxTools: count,
  maxMessageBytes: count,
  healthCheck: [(value) => value === false || isPlain(value), '{ everyMs, timeoutMs, failures } or false'],
  // `fromMcpServer` checks the entries.
  overrides: anything,
};

const checkRules: Rules<keyof UpstreamHealthCheck> = {
  everyMs: positiveMs,
  timeoutMs: positiveMs,
  failures: count,
};

const commandRules: Rules<keyof UpstreamCommand> = {
  command: text,
  args: [
    (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
    'a list of text',
  ],
  env: [(value) => isFunction(value) || isTexts(value), 'an object of text, or a function that gives one'],
  cwd: text,
};

const addressRules: Rules<keyof UpstreamAddress> = {
  url: [(value) => URL.canParse(String(value)), 'an address'],
  headers: [
    (value) => isFunction(value) || isTexts(value),
    'an object of text, or a function that gives one',
  ],
};

export function readSettings(target: UpstreamTarget, options: FromMcpServerOptions): UpstreamSettings {
  assertTarget(target);
  assertOptions('fromMcpServer', options, optionRules);
  const { healthCheck, overrides } = options;
  if (healthCheck) assertOptions('fromMcpServer: healthCheck', healthCheck, checkRules);
  const { everyMs = 30_000, timeoutMs = 10_000, failures = 3 }: UpstreamHealthCheck = healthCheck || {};
  if (options.roots === true && isCommand(target))
    throw invalidOption(
      'fromMcpServer: roots',
      'false for a command',
      'Over stdio, nothing says which call a request for roots belongs to.',
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
    connectLimitMs: options.connectLimitMs,
    protocol: options.protocol ?? 'auto',
    clientInfo: { name: 'toolfold', version: packageVersion },
    capabilities: { ...proxyCapabilities, ...(options.roots === true ? { roots: {} } : {}) },
    maxConnections: options.maxConnections ?? 100,
    maxTools: options.maxTools ?? 2_000,
    maxMessageBytes: options.maxMessageBytes ?? 10 * 1024 * 1024,
    healthCheck: { everyMs, timeoutMs, failures },
    overrides,
    checked: healthCheck === false ? 'none' : healthCheck ? 'all' : 'followed',
  });
}

/** Whether each context has its own connection, because its credentials differ. */
export function isPerContext(target: UpstreamTarget): boolean {
  return typeof (isCommand(target) ? target.env : target.headers) === 'function';
}

export function isCommand(target: UpstreamTarget): target is UpstreamCommand {
  return 'command' in target;
}

/** Evaluates the headers for a context, because they may be a function. */
export async function headersFor(target: UpstreamTarget, context: ContextValues): Promise<UpstreamHeaders> {
  if (isCommand(target) || target.headers === undefined) return {};
  if (typeof target.headers !== 'function') return target.headers;
  const headers: unknown = await target.headers(context);
  if (!isTexts(headers)) throw invalidOption('fromMcpServer: the result of headers()', 'an object of text');
  return headers as UpstreamHeaders;
}

/** Evaluates the environment for a context. Returns `undefined` if all contexts share one process. */
export async function envFor(
  target: UpstreamTarget,
  context: ContextValues,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (!isCommand(target) || typeof target.env !== 'function') return undefined;
  const env: unknown = await target.env(context);
  if (!isTexts(env)) throw invalidOption('fromMcpServer: the result of env()', 'an object of text');
  return env as Readonly<Record<string, string>>;
}

function assertTarget(target: unknown): asserts target is UpstreamTarget {
  const place = 'The server of fromMcpServer';
  if (!isJsonObject(target) || 'command' in target === 'url' in target)
    throw invalidOption(place, '{ command, args, env, cwd } or { url, headers }');
  if ('command' in target) return assertOptions(place, target, commandRules);
  assertOptions(place, target, addressRules);
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

const runners = new Set(['npx', 'node', 'uvx', 'bunx', 'pnpm', 'deno', 'python', 'python3']);

const lastPart = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** Names a server after its host, its command, or the package that `npx` and similar commands run. */
function nameOf(target: UpstreamTarget): string {
  if (!isCommand(target)) return new URL(target.url).host;
  const command = lastPart(target.command);
  const named = target.args?.find((arg) => !arg.startsWith('-'));
  return runners.has(command) && named !== undefined ? lastPart(named) : command;
}
