import { existsSync, statSync } from 'node:fs';
import { ToolRegistry } from 'toolfold';
import { serveHttp, serveStdio } from 'toolfold/node';
import type { FromOpenAPIOptions } from '@toolfold/openapi';
import { isSearchForm, toLine } from 'toolfold/internal';
import type { ProfileName } from '@toolfold/profiles';
import type { OfferedView } from 'toolfold/web';
import type { Form, Selection } from '@toolfold/analysis/internal';
import { assertInstalled } from '../target/open-server.js';
import {
  describeForms,
  readFormOptions,
  readProfile,
  httpSpecs,
  profileSpecs,
} from '../target/read-target.js';
import { nameOfFile, readSpecificationFile, reportSkipped } from '../target/specification.js';
import { readList, readPort } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { CommandError, UsageError } from '@toolfold/analysis/internal';
import { untilSignal, withSignals } from '../terminal/terminal.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { describeApi, readCredentials, readEnvironment } from './credentials.js';
import { fetchSpecification } from './fetch-specification.js';
import { writeEjected } from './write-ejected.js';

export const openapiCommand: Command = {
  summary: 'Serve an HTTP API from its OpenAPI specification, or write its definitions',
  about: `Serve an HTTP API from its OpenAPI specification, or write its definitions.

Usage:
  toolfold openapi [options] <file|url>`,
  specs: {
    ...httpSpecs,
    ...describeForms('Form in which the operations are offered. Default: grouped'),
    ...profileSpecs,
    ...describeApi(),
    'group-by': {
      value: 'tag|path',
      help: 'Group operations by their first tag or by their path. Default: tag',
    },
    groups: { value: 'a,b', isRepeatable: true, help: 'Only operations of these groups' },
    readonly: { help: 'Only operations that change nothing' },
    prefix: { value: 'name', help: 'Prefix of the tool names' },
    strict: { help: 'Fail if an operation cannot be offered, instead of leaving it out' },
    eject: { value: 'folder', help: 'Write TypeScript definitions into this folder instead of serving' },
    force: { help: 'With --eject: overwrite files that exist' },
    json: { help: 'With --http or --eject: print the result, or the error, as one line of JSON' },
  },
  examples: [
    'toolfold openapi openapi.yaml',
    'toolfold openapi openapi.yaml --form search --http',
    'toolfold openapi openapi.json --credential MuseumKey=MUSEUM_KEY --readonly',
    'toolfold openapi https://api.example.com/openapi.json --groups tickets,events',
    'toolfold openapi openapi.yaml --eject src/api',
  ],
  exits: {
    0: 'the server was stopped, or the definitions were written',
    1: 'the specification cannot be used, or nothing can be served',
    130: 'Ctrl-C before the command serves',
  },
  run: openapi,
};

interface OpenAPISettings {
  readonly source: string;
  readonly form: Form;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly port: number | undefined;
  readonly baseUrl: string | undefined;
  readonly groupBy: 'tag' | 'path' | undefined;
  readonly groups: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly prefix: string | undefined;
  /** Maps security schemes to environment variables with their credentials. */
  readonly environment: ReadonlyMap<string, string>;
  readonly isStrict: boolean;
  readonly eject: string | undefined;
  readonly isForced: boolean;
  readonly isJson: boolean;
}

async function openapi(read: ReadArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(read);
  const { source, eject } = settings;
  const isUrl = /^https?:\/\//i.test(source);
  const { text, specUrl } = await withSignals(terminal.host, async (signal) => {
    if (!isUrl) return { text: readSpecificationFile(source), specUrl: undefined };
    const fetched = await terminal.withNotice(
      `fetching ${new URL(source).host}`,
      fetchSpecification(source, signal),
    );
    return { text: fetched.text, specUrl: fetched.url };
  });
  const skipped: string[] = [];
  const options = { ...toOptions(settings, skipped), ...(specUrl ? { specUrl } : {}) };
  // Import lazily, because other commands do not need it.
  const { ejectOpenAPI, fromOpenAPI } = await import('@toolfold/openapi');
  if (eject !== undefined) {
    const environment = Object.fromEntries(settings.environment);
    const files = ejectOpenAPI(text, { ...options, environment });
    reportSkipped(skipped, terminal);
    const paths = writeEjected(files, eject, settings.isForced);
    if (settings.isJson) terminal.printJson({ files: paths }, 0);
    else
      terminal.print(
        `Wrote ${paths.length} files to ${eject}: ${paths.map((path) => toLine(path, 200)).join(', ')}`,
      );
    return 0;
  }
  assertInstalled('toolfold openapi needs', '@modelcontextprotocol/server');
  const credentials = readCredentials(settings.environment, process.env);
  const builders = fromOpenAPI(text, { ...options, credentials });
  reportSkipped(skipped, terminal);
  const registry = new ToolRegistry({ name: isUrl ? new URL(source).hostname : nameOfFile(source) });
  registry.register(builders);
  const count = builders.reduce((sum, builder) => sum + builder.getActionNames().length, 0);
  if (count === 0) throw new CommandError('No operation of the specification matches the options.');
  return serve(registry, count, settings, terminal);
}

async function serve(
  registry: ToolRegistry,
  count: number,
  { form, code, profile, port, isJson }: OpenAPISettings,
  terminal: Terminal,
): Promise<number> {
  const view: OfferedView = isSearchForm(form) ? { form, code, profile } : { form, profile };
  const onError = (error: unknown): void =>
    terminal.notify(error instanceof Error ? error.message : String(error));
  if (port === undefined) {
    const running = serveStdio(registry, { view, closeOnSignals: false, onError });
    await untilSignal(terminal.host, running.ended);
    await running.close();
    return 0;
  }
  const running = await serveHttp(registry, { view, port, closeOnSignals: false, onError });
  if (isJson) terminal.printJson({ url: running.url, server: registry.name, operations: count, form }, 0);
  else
    terminal.print(
      `Serving ${count} ${count === 1 ? 'operation' : 'operations'} of "${toLine(registry.name)}" in the ${form} form at ${running.url}`,
    );
  await untilSignal(terminal.host);
  await running.close();
  return 0;
}

/** Returns the options of `fromOpenAPI`. Callers need no scopes, because the command serves this machine only. */
function toOptions(settings: OpenAPISettings, skipped: string[]): FromOpenAPIOptions {
  const { baseUrl, groupBy, groups, isReadOnly, prefix, isStrict } = settings;
  const chosen = groups && new Set(groups);
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(prefix === undefined ? {} : { prefix }),
    scopes: false,
    ...(isStrict ? {} : { onSkipped: (operation: string) => void skipped.push(operation) }),
    transform: ({ group, readOnly }) =>
      (chosen && !chosen.has(group)) || (isReadOnly && readOnly !== true) ? { hidden: true } : undefined,
  };
}

function readSettings({ options, positionals, rest }: ReadArguments): OpenAPISettings {
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const [source, other] = [...positionals, ...(rest ?? [])];
  if (source === undefined) throw new UsageError('No specification given. Pass a file or a URL.');
  if (other !== undefined)
    throw new UsageError(`Unexpected argument "${other}". See toolfold openapi --help.`);
  if (!/^https?:\/\//i.test(source) && !(existsSync(source) && statSync(source).isFile()))
    throw new UsageError(`The file "${source}" does not exist.`);
  const eject = one('eject');
  const port = readPort('http', one('http'));
  if (eject !== undefined && port !== undefined)
    throw new UsageError('--eject serves nothing, so --http has no effect.');
  if (options.has('force') && eject === undefined) throw new UsageError('--force works only with --eject.');
  const isJson = options.has('json');
  if (isJson && port === undefined && eject === undefined)
    throw new UsageError(
      '--json works only with --http or --eject. Without them, standard output carries MCP.',
    );
  const groupBy = one('group-by');
  if (groupBy !== undefined && groupBy !== 'tag' && groupBy !== 'path')
    throw new UsageError(`--group-by must be tag or path, not "${groupBy}".`);
  const prefix = one('prefix');
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw new UsageError('--prefix must have at most 32 letters, digits, _ and -.');
  const { form = 'grouped', code } = readFormOptions({ options, positionals, rest });
  return {
    source,
    form,
    code,
    profile: readProfile(one('profile'), true),
    port,
    baseUrl: one('base-url'),
    groupBy,
    groups: readList(options.get('groups')),
    isReadOnly: options.has('readonly'),
    prefix,
    environment: readEnvironment(options.get('credential') ?? []),
    isStrict: options.has('strict'),
    eject,
    isForced: options.has('force'),
    isJson,
  };
}
