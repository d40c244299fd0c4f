import { exitCodes } from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';
import { describeApi, readCredentials, readEnvironment } from '../openapi/credentials.js';
import {
  describeForms,
  readFormOptions,
  readOnlyTarget,
  readProfile,
  readTargetOptions,
  targetSpecs,
  toolsetSpecs,
} from '../target/read-target.js';
import { readList, readPort } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { untilSignal, withSignals } from '../terminal/terminal.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { hasPerson, openBrowser } from './open-browser.js';
import { openSource } from './open-source.js';
import type { OpenedSource } from './open-source.js';

export const uiCommand: Command = {
  summary: 'Show a server in a browser',
  about: `Show a server in a browser: its tools as a model reads them, their cost, calls, views, searches and changes.

Usage:
  toolfold ui [options] <file>
  toolfold ui [options] <list.json>
  toolfold ui [options] <specification>
  toolfold ui [options] <url>
  toolfold ui [options] -- <command> [arguments]

The file exports a server or a registry, as for toolfold inspect. It is loaded once; toolfold dev reloads it when it changes, and shows the
same page. Calls that you make on the page are real. Only this machine reaches the page, and only with the token of its address.`,
  specs: {
    port: {
      value: 'port',
      help: 'Port of the page on 127.0.0.1; 0 for any free port. Default: 4400, or any free port if it is taken',
    },
    'no-open': {
      help: 'Do not open the browser. Default: it is opened if the command runs in a terminal, except in CI',
    },
    ...describeForms(
      'Form that the page shows first. Default: that of the server for a file, flat for others',
    ),
    profile: {
      value: 'name|client',
      help: 'Client or model API for which the page shows the tools first. Default: standard for a file, unchanged for others',
    },
    ...toolsetSpecs,
    lock: { value: 'file', help: 'The lockfile to compare with. Default: toolfold.lock.json' },
    ...describeApi('With a specification'),
    ...targetSpecs,
    json: { help: 'Print the address, or the error, as one line of JSON' },
  },
  examples: [
    'toolfold ui server.ts',
    'toolfold ui openapi.yaml --credential MuseumKey=MUSEUM_KEY',
    'toolfold ui https://example.com/mcp --header "Authorization: Bearer $TOKEN"',
    'toolfold ui -- npx -y @modelcontextprotocol/server-everything',
  ],
  exits: {
    0: 'the page was stopped',
    1: 'the server cannot be reached, or the page cannot be served',
    130: 'Ctrl-C before the page is served',
  },
  run: ui,
};

async function ui(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const target = readOnlyTarget(read, 'ui');
  const port = readPort('port', options.get('port')?.[0]);
  const isJson = options.has('json');
  const { form, code } = readFormOptions(read);
  const settings = {
    ...readTargetOptions(read),
    form,
    code,
    profile: readProfile(options.get('profile')?.[0], true),
    toolsets: readList(options.get('toolsets')),
    lockfile: options.get('lock')?.[0],
    specification: readSpecificationOptions(read),
    isJson,
    terminal,
  };
  const opened = await withSignals(terminal.host, (signal) => openSource(target, { ...settings, signal }));
  try {
    return await show(opened, port, terminal, { isJson, isOpened: !options.has('no-open') });
  } finally {
    await opened.close();
  }
}

async function show(
  { source }: OpenedSource,
  port: number | undefined,
  terminal: Terminal,
  { isJson, isOpened }: { readonly isJson: boolean; readonly isOpened: boolean },
): Promise<number> {
  // Import lazily, because other commands do not need it.
  const { createPage } = await import('@toolfold/devtools/internal');
  const onError = (error: unknown): void =>
    terminal.notify(error instanceof Error ? error.message : String(error));
  const page = await createPage(source, { ...(port === undefined ? {} : { port }), onError });
  const { registry } = source.current();
  if (isJson) terminal.printJson({ url: page.url, server: registry.name }, 0);
  else terminal.print(`Page of "${toLine(registry.name)}": ${page.url}`);
  const forget = isOpened && !isJson && hasPerson(terminal) ? openBrowser(page.url, terminal) : undefined;
  await untilSignal(terminal.host);
  forget?.();
  await page.close();
  return exitCodes.done;
}

function readSpecificationOptions({ options }: ReadArguments) {
  const baseUrl = options.get('base-url')?.[0];
  const credentials = options.get('credential');
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(credentials ? { credentials: readCredentials(readEnvironment(credentials), process.env) } : {}),
  };
}
