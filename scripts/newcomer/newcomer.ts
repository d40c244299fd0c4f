/** An empty folder and a shell, for a user who has only Node. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packOnce, tarballsOf, withNeeded } from '../pack.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The port of the server on the page. */
const PORT_ON_PAGE = '3000';
/** The process id on the page. */
const PID_ON_PAGE = '4711';
/** The address of the development page, from its port on. */
const DEVTOOLS_ON_PAGE = ':4400/#token=…';
const PATIENCE_MS = 60_000;

export class Newcomer {
  readonly #place = mkdtempSync(join(tmpdir(), 'toolfold-walk-'));
  readonly #folder = join(this.#place, 'rooms');
  readonly #port: string;
  readonly #shell: ReturnType<typeof startShell>;
  #pid = PID_ON_PAGE;

  private constructor(port: string) {
    this.#port = port;
    mkdirSync(this.#folder);
    this.#shell = startShell(this.#folder, port);
  }

  static async arrive(): Promise<Newcomer> {
    return new Newcomer(await findPort());
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), `${text}\n`);
  }

  /** Runs a line of the page and returns its standard output. */
  async type(line: string): Promise<string> {
    const [, options = '', packages = ''] = /^npm install ((?:-\S+ )*)(.+)$/.exec(line) ?? [];
    if (packages !== '') return this.#install(options, packages.split(' '));
    const command = line
      // Start the showcase without a build, because other tests use the existing one.
      .replace(/^npm --prefix \S+ start .*?-- /, `${this.#showcase()} --port ${this.#port} `)
      .replaceAll(`:${PORT_ON_PAGE}/`, `:${this.#port}/`)
      .replace(`kill ${PID_ON_PAGE}`, `kill ${this.#pid}`);
    const output = await this.#shell.run(command);
    return (
      output
        .replaceAll(`:${this.#port}/`, `:${PORT_ON_PAGE}/`)
        // Every start has another token, and another port if 4400 is taken.
        .replace(/:\d+\/#token=[\w-]+/, DEVTOOLS_ON_PAGE)
        .replace(/"pid":(\d+)/, (_, pid: string) => {
          this.#pid = pid;
          return `"pid":${PID_ON_PAGE}`;
        })
    );
  }

  async leave(): Promise<void> {
    await this.#shell.end();
    rmSync(this.#place, { recursive: true, force: true });
  }

  #showcase(): string {
    const start = join(root, 'examples/showcase/start.ts');
    const tsx = join(root, 'node_modules/tsx/dist/esm/index.mjs');
    return `'${process.execPath}' --import '${tsx}' '${start}' --data '${join(this.#place, 'books')}'`;
  }

  async #install(options: string, names: readonly string[]): Promise<string> {
    if (process.env['WALK_INSTALL'] !== 'registry') {
      await this.#link(names);
      return '';
    }
    return this.#shell.run(`npm install ${options}${tarballsOf(await packOnce(), names).join(' ')}`);
  }

  /** Unpacks packages of this repository as npm would publish them, and links the other ones from `node_modules`. */
  async #link(names: readonly string[]): Promise<void> {
    const packed = await packOnce();
    const modules = join(this.#folder, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    for (const name of withNeeded(packed, names)) {
      const place = join(modules, name);
      const own = packed.get(name);
      mkdirSync(own ? place : dirname(place), { recursive: true });
      if (!own) {
        symlinkSync(join(root, 'node_modules', name), place);
        continue;
      }
      execFileSync('tar', ['-xzf', own.tarball, '-C', place, '--strip-components=1']);
      for (const [bin, file] of Object.entries(own.manifest.bin ?? {}))
        symlinkSync(join(place, file), join(modules, '.bin', bin));
    }
  }
}

/** Starts one shell for all lines, so that background jobs of earlier lines keep running. */
function startShell(cwd: string, port: string) {
  const child = spawn('sh', [], {
    cwd,
    env: { ...process.env, PORT: port, NO_COLOR: '1', npm_config_loglevel: 'error' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Kills the shell and its background jobs, because after a failure they would occupy the port.
  const killAll = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const killLast = (): void => {
    if (child.exitCode === null && child.signalCode === null) killAll();
  };
  process.once('exit', killLast);
  let [written, warned] = ['', ''];
  let wake = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (warned += text));
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  let count = 0;

  const until = async (isEnough: () => boolean, line: string): Promise<void> => {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!isEnough()) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        late.onabort = () => reject(new Error(`No answer to: ${line}\n${written}\n${warned}`));
      });
    }
  };
  return {
    run: async (line: string): Promise<string> => {
      const mark = `-- ${process.pid} ${++count} --`;
      [written, warned] = ['', ''];
      child.stdin.write(`${line}\nprintf '%s %s\\n' '${mark}' "$?"\n`);
      await until(() => written.includes(`${mark} `) && written.endsWith('\n'), line);
      // Wait until the background job reports that it is ready.
      if (line.endsWith('&')) await until(() => written.split('\n').length > 2, line);
      const [, status] = new RegExp(`${mark} (\\d+)`).exec(written) ?? [];
      const expected = /# ends with (\d+)$/.exec(line)?.[1] ?? '0';
      if (status !== expected) throw new Error(`${line}\nended with ${status}: ${written}${warned}`);
      return written.replace(new RegExp(`${mark} \\d+\\n`), '').trimEnd();
    },
    end: async (): Promise<void> => {
      child.stdin.end();
      await closed;
      process.off('exit', killLast);
    },
  };
}

function findPort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(String(port)));
    });
  });
}
