import type { ContextValues } from 'toolfold/web';
import type { UpstreamTarget } from '@toolfold/gateway';
import { ErrInvalidSessionContext } from 'toolfold/errors';
import { toLine, toWireName } from 'toolfold/internal';
import { isJsonObject, isSecure } from '@toolfold/schema/internal';
import { readJson } from '../../search/read-json.js';
import { CommandError } from '@toolfold/analysis/internal';
import { Secrets } from './redact-secrets.js';
import { fillTemplate, hasOwnValue, readTemplate, sessionKeysOf } from './template.js';
import type { Template } from './template.js';

export interface ConfiguredServer {
  readonly name: string;
  /** Prefix of the tools, and key of the toolset. */
  readonly prefix: string;
  /** Tells models when to use the tools of the server. */
  readonly description: string;
  /** Session keys that the headers or environment of the server use. */
  readonly sessionKeys: readonly string[];
  /** Whether every session value has a default, so that the server works without a session. */
  readonly isComplete: boolean;
  /**
   * The target. Headers or environment are functions of the context if they use session values. They throw an error for the caller
   * if a value is missing.
   */
  readonly target: UpstreamTarget;
  /** Throws an error for the caller if a session value is missing. */
  readonly assertSession: (session: ContextValues) => void;
  /** The target for reading the lists. Omits headers and variables whose values only callers have. */
  readonly ownTarget: UpstreamTarget;
}

export interface GatewayConfig {
  readonly file: string;
  readonly servers: readonly ConfiguredServer[];
  /** Values that messages must not contain: values of variables and headers, and query strings. */
  readonly secrets: Secrets;
  readonly notices: readonly string[];
}

/** The context in which the gateway reads lists. Callers cannot forge it, because they can only send named keys. */
export const LISTING: ContextValues = Object.freeze({ 'toolfold/listing': true });

type Env = Readonly<Record<string, string | undefined>>;

const MAX_SERVERS = 100;
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const lists = ['mcpServers', 'servers'] as const;
const serverKeys = new Set([
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'type',
  'headers',
  'disabled',
  'description',
]);
const stdioTypes = new Set<unknown>([undefined, 'stdio', 'local']);
const httpTypes = new Set<unknown>([
  undefined,
  'http',
  'streamable-http',
  'streamableHttp',
  'streamable_http',
  'remote',
]);

export function readConfig(file: string, env: Env = process.env): GatewayConfig {
  const read = readJson(file, 'Write { "mcpServers": { "name": { "command": "…" } } } into it.');
  if (!isJsonObject(read)) throw new CommandError(`${file} must be an object with "mcpServers".`);
  const [key, other] = lists.filter((name) => name in read);
  if (key === undefined)
    throw new CommandError(
      `${file} has no "mcpServers". Write { "mcpServers": { "name": { "command": "…" } } }.`,
    );
  if (other !== undefined)
    throw new CommandError(`${file} has both "mcpServers" and "servers". Keep one of them.`);
  const listed = read[key];
  if (!isJsonObject(listed)) throw new CommandError(`${file}: ${key} must be an object of servers.`);
  const notices: string[] = [];
  const secrets = new Secrets();
  const ignored = Object.keys(read).filter((name) => name !== key && name !== '$schema');
  if (ignored.length > 0) notices.push(`${file}: ${quoteAll(ignored)} has no effect`);
  const servers = Object.entries(listed).flatMap(([name, entry]) =>
    readServer(name, entry, {
      file,
      place: `${file}: ${key}[${JSON.stringify(toLine(name, 100))}]`,
      env,
      notices,
      secrets,
    }),
  );
  if (servers.length === 0) throw new CommandError(`${file} has no server that is not disabled.`);
  if (servers.length > MAX_SERVERS) throw new CommandError(`${file} has more than ${MAX_SERVERS} servers.`);
  assertDistinct(file, servers);
  return { file, servers, notices, secrets };
}

function assertDistinct(file: string, servers: readonly ConfiguredServer[]): void {
  const byPrefix = new Map<string, string>();
  for (const { name, prefix } of servers) {
    const other = byPrefix.get(prefix);
    if (other !== undefined)
      throw new CommandError(
        `${file}: the servers "${toLine(other, 100)}" and "${toLine(name, 100)}" would both have the prefix "${prefix}". Rename one of them.`,
      );
    byPrefix.set(prefix, name);
  }
}

interface Place {
  readonly file: string;
  readonly place: string;
  readonly env: Env;
  readonly notices: string[];
  readonly secrets: Secrets;
}

function readServer(
  name: string,
  entry: unknown,
  { place, env, notices, secrets }: Place,
): ConfiguredServer[] {
  if (!isJsonObject(entry)) throw new CommandError(`${place} must be an object with "command" or "url".`);
  const { disabled, command, url, type, description = `Tools of the server "${toLine(name, 100)}".` } = entry;
  if (typeof description !== 'string' || description.trim() === '')
    throw new CommandError(`${place}.description must be text.`);
  if (disabled !== undefined && typeof disabled !== 'boolean')
    throw new CommandError(`${place}.disabled must be true or false.`);
  if (disabled === true) return [];
  const ignored = Object.keys(entry).filter((key) => !serverKeys.has(key));
  if (ignored.length > 0) notices.push(`${place}: ${quoteAll(ignored)} has no effect`);
  if ((command === undefined) === (url === undefined))
    throw new CommandError(`${place} must have either "command" or "url".`);
  if (type === 'sse')
    throw new CommandError(
      `${place}.type is "sse", the transport of 2024, which is not supported. Use the address of the server's Streamable HTTP endpoint, or set "disabled": true.`,
    );
  const isCommand = command !== undefined;
  if (!(isCommand ? stdioTypes : httpTypes).has(type))
    throw new CommandError(
      `${place}.type must be ${isCommand ? '"stdio" beside "command"' : '"http" beside "url"'}.`,
    );
  const reader: FieldReader = {
    text: (field, value) => {
      const template = readField(`${place}.${field}`, value, { env, secrets, takesSession: false });
      return template.join('');
    },
    record: (field, value) => readRecord(`${place}.${field}`, value, { env, secrets, takesSession: true }),
  };
  const misplaced = (isCommand ? ['headers'] : ['args', 'env', 'cwd']).find(
    (field) => entry[field] !== undefined,
  );
  if (misplaced !== undefined)
    throw new CommandError(`${place}.${misplaced} has no meaning beside "${isCommand ? 'command' : 'url'}".`);
  const target = isCommand ? readCommand(place, entry, reader) : readAddress(place, entry, reader);
  const templates = [...target.values.values()];
  const sessionKeys = [...new Set(templates.flatMap(sessionKeysOf))];
  const own = (template: Template): string | undefined =>
    hasOwnValue(template) ? fillTemplate(template, {}, name) : undefined;
  const ofCaller = (context: ContextValues): Record<string, string> => {
    for (const key of sessionKeys) secrets.addOfCaller(context[key]);
    const fill = (template: Template): string => fillTemplate(template, context, name);
    const filled = fillAll(target.values, context['toolfold/listing'] === true ? own : fill);
    if (!isCommand && !Object.values(filled).every((value) => HEADER_VALUE.test(value)))
      throw new ErrInvalidSessionContext(
        "A value of the caller's session contains a character that is not allowed in headers.",
      );
    return filled;
  };
  for (const part of templates.flat()) if (typeof part === 'string') secrets.add(part);
  if (target.query !== undefined) secrets.add(target.query);
  return [
    {
      name,
      prefix: prefixOf(name, place),
      description,
      sessionKeys,
      isComplete: templates.every(hasOwnValue),
      target: target.build(sessionKeys.length > 0 ? ofCaller : fillAll(target.values, own)),
      assertSession: (session) => void ofCaller(session),
      ownTarget: target.build(fillAll(target.values, own)),
    },
  ];
}

type Values = Record<string, string> | ((context: ContextValues) => Record<string, string>);

/** The target as all sessions share it, with the headers or variables that may differ. */
interface ReadTarget {
  /** Query string of the address, which may contain a key. */
  readonly query?: string;
  readonly values: ReadonlyMap<string, Template>;
  readonly build: (values: Values) => UpstreamTarget;
}

interface FieldReader {
  readonly text: (field: string, value: unknown) => string;
  readonly record: (field: string, value: unknown) => ReadonlyMap<string, Template>;
}

function readCommand(
  place: string,
  { command, args = [], env: given = {}, cwd }: Record<string, unknown>,
  reader: FieldReader,
): ReadTarget {
  if (!Array.isArray(args)) throw new CommandError(`${place}.args must be a list of text.`);
  const values = reader.record('env', given);
  const common = {
    command: reader.text('command', command),
    args: args.map((arg, index) => reader.text(`args[${index}]`, arg)),
    ...(cwd === undefined ? {} : { cwd: reader.text('cwd', cwd) }),
  };
  if (common.command.trim() === '') throw new CommandError(`${place}.command must not be empty.`);
  return { values, build: (env) => ({ ...common, env }) };
}

function readAddress(
  place: string,
  { url, headers: given = {} }: Record<string, unknown>,
  reader: FieldReader,
): ReadTarget {
  const address = reader.text('url', url);
  // Do not repeat the address, because its query may contain a secret.
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new CommandError(`${place}.url must be an address of https or http.`);
  const parsed = new URL(address);
  if (parsed.username !== '' || parsed.password !== '')
    throw new CommandError(`${place}.url must not contain credentials. Put them into headers.`);
  const values = reader.record('headers', given);
  if (values.size > 0 && !isSecure(parsed))
    throw new CommandError(
      `${place}.url must be an https address, or one of http on localhost, because headers may contain secrets.`,
    );
  for (const [name, template] of values) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw new CommandError(`${place}.headers has a name that is not allowed in HTTP.`);
    if (template.some((part) => typeof part === 'string' && !HEADER_VALUE.test(part)))
      throw new CommandError(`${place}.headers.${name} contains a character that is not allowed in headers.`);
  }
  return {
    values,
    query: parsed.search,
    build: (headers) => ({ url: address, ...(values.size > 0 ? { headers } : {}) }),
  };
}

function fillAll(
  values: ReadonlyMap<string, Template>,
  fill: (template: Template) => string | undefined,
): Record<string, string> {
  const filled = Array.from(values, ([name, template]) => [name, fill(template)] as const);
  return Object.fromEntries(filled.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

interface FieldOptions {
  readonly env: Env;
  readonly secrets: Secrets;
  readonly takesSession: boolean;
}

function readRecord(place: string, value: unknown, options: FieldOptions): ReadonlyMap<string, Template> {
  if (!isJsonObject(value)) throw new CommandError(`${place} must be an object of text.`);
  return new Map(
    Object.entries(value).map(([name, text]) => [
      name,
      readField(`${place}.${toLine(name, 100)}`, text, options),
    ]),
  );
}

function readField(place: string, value: unknown, options: FieldOptions): Template {
  // Clients accept numbers and booleans in `env` and `args`.
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') throw new CommandError(`${place} must be text.`);
  return readTemplate(text, { place, ...options });
}

/** Derives a valid prefix from a server name, which may contain any characters. */
function prefixOf(name: string, place: string): string {
  const prefix = toWireName(name.trim())
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 32);
  if (prefix === '') throw new CommandError(`${place} needs a name with a letter or a digit.`);
  return prefix;
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => `"${toLine(name, 100)}"`).join(', ');
}
