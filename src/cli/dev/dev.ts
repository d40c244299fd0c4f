import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ToolRegistry } from '../../index.js';
import { serveHttp, serveStdio } from '../../node.js';
import { Exposure } from '../../web.js';
import { assertInstalled } from '../target/open-server.js';
import type { Form, Selection } from '../target/opened-target.js';
import { describeForms, readFormOptions, readProfile, readTarget } from '../target/read-target.js';
import type { ProfileName } from '../../profiles/profile.js';
import { isSavedList } from '../target/saved-list.js';
import { describeOptions, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { exitCodes, UsageError, untilSignal } from '../terminal/terminal.js';
import type { Terminal } from '../terminal/terminal.js';
import { loadEsbuild } from './find-esbuild.js';
import { LiveServer } from './live-server.js';
import { Reporter } from './reporter.js';
import { compareSurfaces, emptySurface } from './surface.js';
import type { Surface } from './surface.js';
import { VersionLoader } from './version-loader.js';
import type { LoadedVersion } from './version-loader.js';
import { FileWatcher } from './watch-files.js';

export const devSpecs: OptionSpecs = {
  port: { value: 'port', help: 'Port to serve HTTP on; 0 for any free port. Default: 3000' },
  host: {
    value: 'address',
    help: 'Address to listen on. Default: 127.0.0.1, which only this machine reaches',
  },
  stdio: { help: 'Serve on standard input and output instead of HTTP' },
  ...describeForms('Form in which the tools are offered. Default: grouped'),
  profile: {
    value: 'name|client',
    help: 'Client or model API that must accept the tools, or client to choose by the client. Default: portable',
  },
  scopes: { value: 'a,b', isRepeatable: true, help: 'The scopes of every caller. Default: none' },
  json: { help: 'Print each event as one line of JSON' },
  help: { help: 'Show this help' },
};

export const devHelp = `Serve a file while you write it, and reload it when it changes.

Usage:
  toolfold dev [options] <file>

The file exports a registry, as for toolfold inspect. The server reloads when the file changes, or a file that it
imports. Clients stay connected and are told to read the lists again. A file that cannot be loaded leaves the last
version running.

Options:
${describeOptions(devSpecs)}

Examples:
  toolfold dev src/registry.ts
  toolfold dev src/registry.ts --port 8080 --scopes users:write
  toolfold dev src/registry.ts --stdio

Exit codes:
  0    the server was stopped
  1    nothing can be served
  2    the command line is invalid
  130  Ctrl-C before the server serves
`;

interface DevSettings {
  readonly file: string;
  readonly port: number;
  readonly host: string | undefined;
  readonly isStdio: boolean;
  readonly form?: Form | undefined;
  readonly code?: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly scopes: readonly string[];
  readonly isJson: boolean;
}

/** Serves a file until a signal stops it, or the client over stdio disconnects. */
export async function dev(read: ReadArguments, terminal: Terminal): Promise<number> {
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
  // An error in a timer or a forgotten promise of the author must not end the session.
  process.on('uncaughtException', reporter.fault);
  try {
    await watcher.ready;
    const live = await development.start(watcher);
    const ended = await serve(live, settings, terminal, development, reporter);
    await ended();
    live.close();
  } finally {
    process.off('uncaughtException', reporter.fault);
    await watcher.close();
    await esbuild.stop();
  }
  return exitCodes.done;
}

/** Starts to serve. Returns a function that waits for the end and closes the server. */
async function serve(
  { registry, exposure }: LiveServer,
  { file, port, host, isStdio, scopes }: DevSettings,
  terminal: Terminal,
  development: Development,
  reporter: Reporter,
): Promise<() => Promise<void>> {
  const common = { exposure, closeOnSignals: false, onError: reporter.fault };
  const auth = { token: 'dev', clientId: 'dev', scopes: [...scopes] };
  if (isStdio) {
    terminal.releaseStdout();
    const running = serveStdio(registry, { ...common, ...(scopes.length > 0 ? { auth } : {}) });
    reporter.serving(file, development.surface);
    return async () => {
      await untilSignal(terminal.host, running.ended);
      await running.close();
    };
  }
  const running = await serveHttp(registry, {
    ...common,
    port,
    ...(host === undefined ? {} : { host }),
    ...(scopes.length > 0 ? { auth: { authenticate: () => ({ auth }) } } : {}),
  });
  reporter.serving(file, development.surface, running.url);
  return async () => {
    await untilSignal(terminal.host);
    await running.close();
  };
}

/** Replaces the version of a live server when its files change. */
class Development {
  readonly #file: string;
  readonly #loader: VersionLoader;
  readonly #reporter: Reporter;
  #live: LiveServer | undefined;
  #code: string | undefined;
  #surface: Surface = emptySurface;
  /** Counts the attempts to load. A later attempt makes the result of an earlier one obsolete. */
  #attempt = 0;

  constructor(file: string, loader: VersionLoader, reporter: Reporter) {
    this.#file = file;
    this.#loader = loader;
    this.#reporter = reporter;
  }

  get surface(): Surface {
    return this.#surface;
  }

  /** Loads the first version. If that fails, the server begins without tools. */
  async start(watcher: FileWatcher): Promise<LiveServer> {
    const version = await this.#load(watcher);
    const first = version ?? emptyVersion(this.#file);
    this.#code = version?.code;
    this.#surface = version?.surface ?? emptySurface;
    return (this.#live = new LiveServer(first, this.#reporter));
  }

  async reload(watcher: FileWatcher): Promise<void> {
    const start = performance.now();
    const version = await this.#load(watcher);
    if (!version) return;
    const before = this.#surface;
    const change = compareSurfaces(before, version.surface);
    this.#code = version.code;
    this.#surface = version.surface;
    this.#live?.replace(version, change.lists);
    const ms = Math.round(performance.now() - start);
    this.#reporter.reloaded(this.#file, ms, change, before, version.surface);
  }

  /** Loads a version. Reports an error, and returns `undefined` if there is no new version. */
  async #load(watcher: FileWatcher): Promise<LoadedVersion | undefined> {
    const attempt = ++this.#attempt;
    const isLatest = (): boolean => attempt === this.#attempt;
    try {
      const version = await this.#loader.load(this.#code);
      if (isLatest() && version) return version;
      if (isLatest()) this.#reporter.unchanged(this.#file);
      version?.exposure.close();
    } catch (error) {
      if (isLatest()) this.#reporter.failed(this.#file, error, this.#code !== undefined);
    } finally {
      if (isLatest()) watcher.follow(this.#loader.files, this.#loader.missing);
    }
    return undefined;
  }
}

function emptyVersion(file: string): { readonly registry: ToolRegistry; readonly exposure: Exposure } {
  const registry = new ToolRegistry({ name: basename(file).replace(/\.\w+$/, '') });
  return { registry, exposure: new Exposure(registry) };
}

function readSettings(read: ReadArguments): DevSettings {
  const { options } = read;
  const { target, others } = readTarget(read);
  if (!('file' in target) || isSavedList(target.file))
    throw new UsageError('toolfold dev serves a file. Pass the file that exports the registry.');
  if (others.length > 0)
    throw new UsageError(`Unexpected argument "${others[0]}". toolfold dev takes one file.`);
  const isStdio = options.has('stdio');
  const [port, host] = [options.get('port')?.[0], options.get('host')?.[0]];
  if (isStdio && (port ?? host) !== undefined)
    throw new UsageError(`--${port === undefined ? 'host' : 'port'} has no effect with --stdio.`);
  return {
    file: target.file,
    port: readPort(port),
    host,
    isStdio,
    ...readFormOptions(read),
    profile: readProfile(options.get('profile')?.[0], true),
    scopes: readList(options.get('scopes')) ?? [],
    isJson: options.has('json'),
  };
}

function readPort(text = '3000'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port < 65_536)) throw new UsageError(`--port must be a port, not "${text}".`);
  return port;
}
