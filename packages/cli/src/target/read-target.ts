import { existsSync, statSync } from 'node:fs';
import { profileNames } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { isSecure } from '@toolfold/schema/internal';
import { forms, quote, UsageError } from '@toolfold/analysis/internal';
import { isRunner } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import type { Form, Selection } from '@toolfold/analysis/internal';
import type { OpenOptions } from './open-options.js';

const DEFAULT_TIMEOUT_S = 60;

interface CommandTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface UrlTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface FileTarget {
  readonly file: string;
}

export type ServerTarget = CommandTarget | UrlTarget;
export type Target = ServerTarget | FileTarget;

interface ReadTarget<T extends Target = Target> {
  readonly target: T;
  readonly others: readonly string[];
}

const HEADER_USE = '--header works only with a URL.';

export function readServer(read: ReadArguments): ReadTarget<ServerTarget> {
  const found = readTarget(read, false);
  return found as ReadTarget<ServerTarget>;
}

/** Reads a file, a URL, or a command after `--`. With a command, all arguments before `--` are remaining arguments. */
export function readTarget({ options, positionals, rest }: ReadArguments, takesFiles = true): ReadTarget {
  const headers = options.get('header');
  if (rest !== undefined) {
    const [first] = positionals;
    if (first !== undefined && (isUrl(first) || (takesFiles && isFile(first))))
      throw new UsageError(`Both "${first}" and a command after -- name a server. Pass only one of them.`);
    if (headers) throw new UsageError(HEADER_USE);
    return { target: readCommand(rest), others: positionals };
  }
  const [first, ...others] = positionals;
  const kinds = takesFiles ? 'a file, a URL, or -- and a command' : 'a URL, or -- and a command';
  if (first === undefined) throw new UsageError(`No server given. Pass ${kinds}.`);
  if (isUrl(first)) return { target: toUrl(first, headers), others };
  if (takesFiles && isFile(first)) {
    if (headers) throw new UsageError(HEADER_USE);
    return { target: { file: first }, others };
  }
  throw noServer(first, others, takesFiles);
}

/** Reads the target of a command that takes no other argument. */
export function readOnlyTarget(read: ReadArguments, command: string): Target {
  const { target, others } = readTarget(read);
  if (others.length > 0)
    throw new UsageError(`Unexpected argument "${others[0]}". See toolfold ${command} --help.`);
  return target;
}

export function readOnlyFile({ positionals, rest }: ReadArguments, command: string): string {
  const [file, other] = positionals;
  if (rest !== undefined || (file !== undefined && isUrl(file)))
    throw new UsageError(`toolfold ${command} serves a file. Pass the file that exports your registry.`);
  if (file === undefined) throw new UsageError('No file given. Pass the file that exports your registry.');
  if (!existsSync(file)) throw new UsageError(`The file "${file}" does not exist.`);
  if (!isFile(file)) throw new UsageError(notAFile(file));
  if (other !== undefined)
    throw new UsageError(`Unexpected argument "${other}". toolfold ${command} takes one file.`);
  return file;
}

function notAFile(path: string): string {
  return `"${path}" is not a file. Pass the file that exports the registry.`;
}

function noServer(first: string, others: readonly string[], takesFiles: boolean): UsageError {
  const command = [first, ...others].map(quote).join(' ');
  if (isRunner(first) && others.length > 0) return new UsageError(`Write -- before a command: -- ${command}`);
  if (/^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/|$)/.test(first) && /^localhost|:\d|\//.test(first))
    return new UsageError(`"${first}" is not a URL. Write https:// or http:// before it.`);
  if (takesFiles && existsSync(first)) return new UsageError(notAFile(first));
  if (takesFiles && (/[\\/]/.test(first) || /\.([cm]?[jt]sx?|json|jsonl|ndjson)$/i.test(first)))
    return new UsageError(`The file "${first}" does not exist.`);
  const what = takesFiles ? 'neither a file nor a URL' : 'not a URL';
  return new UsageError(`"${first}" is ${what}. Write -- before a command: -- ${command}`);
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isFile(text: string): boolean {
  return existsSync(text) && statSync(text).isFile();
}

function readCommand([command, ...args]: readonly string[]): CommandTarget {
  if (command === undefined)
    throw new UsageError('No command given after --. Example: -- npx -y some-server');
  // Pass on the complete environment, because users expect the command to run as in their shell.
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { command, args, env };
}

function toUrl(text: string, lines: readonly string[] | undefined): UrlTarget {
  if (!URL.canParse(text)) throw new UsageError(`"${text}" is not a valid URL.`);
  const url = new URL(text);
  // Do not repeat the URL, because it contains a secret.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The URL must not contain credentials. Pass them with --header.');
  if (!lines) return { url: text };
  if (!isSecure(url))
    throw new UsageError(
      '--header needs an https URL, or http on localhost, because headers may contain secrets.',
    );
  return { url: text, headers: readHeaders(lines) };
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*\S)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError('--header must have the form name:value.');
      // Do not repeat the value, because it may be a secret.
      if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
        throw new UsageError(
          `--header: the value of ${name} contains a character that is not allowed in headers.`,
        );
      return [name, value];
    }),
  );
}

/** Names a target in messages. Omits the query of a URL, because it may contain a secret. */
export function describeTarget(target: Target): string {
  if ('file' in target) return target.file;
  return 'url' in target ? stripQuery(target.url) : [target.command, ...target.args].join(' ');
}

function stripQuery(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.search === '') return text;
  url.search = '';
  return `${url.href}?…`;
}

export const targetSpecs: OptionSpecs = {
  header: {
    value: 'name:value',
    isRepeatable: true,
    help: 'HTTP header for every request to a server at a URL',
  },
  protocol: {
    value: 'auto|2025|2026',
    help: 'MCP revision to speak. Default: auto, which asks the server',
  },
  timeout: {
    value: 'seconds',
    help: `Limit for connecting, for a list, and for a call without progress. Default: ${DEFAULT_TIMEOUT_S}`,
  },
};

/** The option that selects toolsets. Its values may also be prefixes of names. */
export const toolsetSpecs: OptionSpecs = {
  toolsets: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only these toolsets of a file; for a server, only tools whose names start with one of these words',
  },
};

/** The options of commands that serve tools. */
export const httpSpecs: OptionSpecs = {
  http: {
    value: 'port',
    withoutValue: '3000',
    help: 'Serve HTTP on 127.0.0.1 instead of standard input and output. Default port: 3000',
  },
};
export const profileSpecs: OptionSpecs = {
  profile: {
    value: 'name|client',
    help: 'Client or model API that must accept the tools, or client to choose by the client. Default: client',
  },
};

export function readTargetOptions({ options }: ReadArguments): Pick<OpenOptions, 'protocol' | 'timeoutMs'> {
  const protocol = options.get('protocol')?.[0] ?? 'auto';
  if (protocol !== 'auto' && protocol !== '2025' && protocol !== '2026')
    throw new UsageError(`--protocol must be auto, 2025 or 2026, not "${protocol}".`);
  const text = options.get('timeout')?.[0] ?? String(DEFAULT_TIMEOUT_S);
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(`--timeout must be a number of seconds above 0 and at most 86400, not "${text}".`);
  return { protocol, timeoutMs: Math.ceil(seconds * 1_000) };
}

/** Reads `--profile`. `takesClient` says whether the profile may depend on the client. */
export function readProfile(profile: string | undefined): ProfileName | undefined;
export function readProfile(
  profile: string | undefined,
  takesClient: true,
): ProfileName | 'client' | undefined;
export function readProfile(
  profile: string | undefined,
  takesClient = false,
): ProfileName | 'client' | undefined {
  const known = [...profileNames, ...(takesClient ? (['client'] as const) : [])];
  const found = known.find((each) => each === profile);
  if (found !== undefined || profile === undefined) return found;
  throw new UsageError(`--profile must be one of ${known.join(', ')}, not "${profile}".`);
}

/** The options that choose a form. `help` describes their effect. */
export function describeForms(help: string): OptionSpecs {
  return {
    form: { value: forms.join('|'), help },
    'code-allow': {
      value: 'read|write',
      help: 'With --form code: whether code may call only tools that are marked read-only, or all. Default: read',
    },
  };
}

export function readFormOptions(
  { options }: ReadArguments,
  fallback?: string,
): Pick<Selection, 'form' | 'code'> {
  const form = readForm(options.get('form')?.[0] ?? fallback);
  const allow = options.get('code-allow')?.[0];
  if (allow === undefined) return { form };
  if (allow !== 'read' && allow !== 'write')
    throw new UsageError(`--code-allow must be read or write, not "${allow}".`);
  if (form !== 'code') throw new UsageError('--code-allow works only with --form code.');
  return { form, code: { allow } };
}

function readForm(form: string | undefined): Form | undefined {
  if (form === undefined || forms.includes(form as Form)) return form as Form | undefined;
  throw new UsageError(`--form must be grouped, flat, search or code, not "${form}".`);
}
