import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { serveHttp, serveStdio } from 'toolfold/node';
import type { Authenticator } from 'toolfold/web';
import { assertInstalled } from '../target/open-server.js';
import {
  describeForms,
  readFormOptions,
  readOnlyFile,
  readProfile,
  profileSpecs,
} from '../target/read-target.js';
import type { Form, Selection } from '@toolfold/analysis/internal';
import type { PageSource } from '@toolfold/devtools/internal';
import type { ProfileName } from '@toolfold/profiles';
import { isSavedList } from '../target/saved-list.js';
import { listenSpecs, readListening } from '../terminal/read-listening.js';
import type { Listening } from '../terminal/read-listening.js';
import { readList, readPort } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { exitCodes, UsageError } from '@toolfold/analysis/internal';
import { untilSignal } from '../terminal/terminal.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { Development } from './development.js';
import { loadEsbuild } from './find-esbuild.js';
import type { LiveServer } from './live-server.js';
import { Reporter } from './reporter.js';
import { VersionLoader } from './version-loader.js';
import { FileWatcher } from './watch-files.js';

export const devCommand: Command = {
  summary: 'Serve a file, and reload it when it changes',
  about: `Serve a file while you write it, and reload it when it changes.

Usage:
  toolfold dev [options] <file>

The file exports a server or a registry, as for toolfold inspect. The server reloads when the file changes, or a file that it
imports. Clients stay connected and are told to read the lists again. A file that cannot be loaded leaves the last
version running. A page on this machine shows the server in a browser, as toolfold ui does, and follows the changes.`,
  specs: {
    ...listenSpecs,
    'ui-port': {
      value: 'port',
      help: 'Port of the page that shows the server in a browser. Default: 4400, or any free port if it is taken',
    },
    'no-ui': { help: 'Do not serve the page' },
    ...describeForms('Form in which the tools are offered. Default: that of the server'),
    ...profileSpecs,
    scopes: {
      value: 'a,b',
      isRepeatable: true,
      help: 'Authenticate nobody, and give every caller these scopes. Default: the authentication of the server',
    },
    json: { help: 'Print each event as one line of JSON' },
  },
  examples: [
    'toolfold dev src/server.ts',
    'toolfold dev src/server.ts --port 8080 --scopes users:write',
    'toolfold dev src/server.ts --stdio',
  ],
  exits: { 0: 'the server was stopped', 1: 'nothing can be served', 130: 'Ctrl-C before the server serves' },
  run: dev,
};

interface DevSettings extends Listening {
  readonly file: string;
  /** Port of the page: `undefined` for the default, false for no page. */
  readonly uiPort: number | false | undefined;
  readonly form?: Form | undefined;
  readonly code?: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly scopes: readonly string[];
  readonly isJson: boolean;
}

async function dev(read: ReadArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(read);
  assertInstalled('toolfold dev needs', '@modelcontextprotocol/server');
  const { file, isStdio, isJson, form, code, profile } = settings;
  const entry = realpathSync(file);
  const esbuild = await loadEsbuild(entry);
  terminal.reserveStdout();
  process.setSourceMapsEnabled(true);
  const reporter = new Reporter({ terminal, entry, isJson, isStdio });
  const loader = new VersionLoader(esbuild, {
    file,
    entry,
    form,
    code,
    profile,
    terminal,
    onError: reporter.fault,
  });
  const development = new Development(file, loader, reporter);
  const watcher = new FileWatcher(dirname(entry), () => void development.reload(watcher), reporter.fault);
  // An uncaught error of the author's code, such as in a timer, must not end the session.
  process.on('uncaughtException', reporter.fault);
  try {
    await watcher.ready;
    const live = await development.start(watcher);
    const ended = await serve(live, settings, terminal, development, reporter);
    const page = await servePage(development.pageSource(live), settings, reporter);
    await ended();
    await page?.close();
    live.close();
  } finally {
    process.off('uncaughtException', reporter.fault);
    await watcher.close();
    await esbuild.stop();
  }
  return exitCodes.done;
}

/** Starts serving. Returns a function that waits for the end and closes the server. */
async function serve(
  { registry, exposure }: LiveServer,
  { file, port, host, isStdio, scopes }: DevSettings,
  terminal: Terminal,
  development: Development,
  reporter: Reporter,
): Promise<() => Promise<void>> {
  const { http, stdio } = development.server ?? {};
  const common = { exposure, closeOnSignals: false, onError: reporter.fault };
  const auth = { token: 'dev', clientId: 'dev', scopes: [...scopes] };
  if (isStdio) {
    terminal.releaseStdout();
    const running = serveStdio(registry, { ...stdio, ...common, ...(scopes.length > 0 ? { auth } : {}) });
    // Listen for signals now, because one may arrive before the page is served.
    const stopped = untilSignal(terminal.host, running.ended);
    reporter.serving(file, development.surface);
    return async () => {
      await stopped;
      await running.close();
    };
  }
  const running = await serveHttp(registry, {
    ...http,
    ...(http?.auth ? { auth: currentAuth(http.auth, () => development.server?.http.auth) } : {}),
    ...common,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(scopes.length > 0 ? { auth: { authenticate: () => ({ auth }) } } : {}),
  });
  const stopped = untilSignal(terminal.host);
  reporter.serving(file, development.surface, running.url);
  return async () => {
    await stopped;
    await running.close();
  };
}

/** Authenticates with the latest version of the authenticator. Its metadata and its headers stay those of the first. */
function currentAuth(first: Authenticator, latest: () => Authenticator | undefined): Authenticator {
  const { headers, metadata } = first;
  return {
    ...(headers ? { headers } : {}),
    ...(metadata ? { metadata } : {}),
    ready: async () => first.ready?.(),
    authenticate: (header) => (latest() ?? first).authenticate(header),
  };
}

/** Serves the page. The server continues if this fails. */
async function servePage(
  source: PageSource,
  { uiPort }: DevSettings,
  reporter: Reporter,
): Promise<{ close(): Promise<void> } | undefined> {
  if (uiPort === false) return undefined;
  try {
    const { createPage } = await import('@toolfold/devtools/internal');
    const port = uiPort === undefined ? {} : { port: uiPort };
    const page = await createPage(source, { ...port, onError: reporter.fault, onFault: reporter.fault });
    reporter.page(page.url);
    return page;
  } catch (error) {
    reporter.pageFailed(error);
    return undefined;
  }
}

function readSettings(read: ReadArguments): DevSettings {
  const { options } = read;
  const file = readOnlyFile(read, 'dev');
  if (isSavedList(file))
    throw new UsageError('A saved list of tools cannot be served. Pass the file that exports your registry.');
  if (options.has('no-ui') && options.has('ui-port'))
    throw new UsageError('--ui-port has no effect with --no-ui.');
  return {
    file,
    ...readListening(read),
    uiPort: options.has('no-ui') ? false : readPort('ui-port', options.get('ui-port')?.[0]),
    ...readFormOptions(read),
    profile: readProfile(options.get('profile')?.[0], true),
    scopes: readList(options.get('scopes')) ?? [],
    isJson: options.has('json'),
  };
}
