import { resolve } from 'node:path';
import { serveHttp, serveStdio } from 'toolfold/node';
import { asOwner, owner, readKeys } from './access.js';
import { describeClients } from './clients.js';
import { openDatabase } from './database/open.js';
import { StartError } from './errors.js';
import { createFinance } from './finance.js';
import { help, readOptions } from './options.js';
import type { Options } from './options.js';
import { seedBooks } from './seed/seed.js';
import { createServer } from './server.js';
import { observeOnConsole } from './telemetry.js';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: for people, or a line of JSON. Nothing with `--stdio`. */
  readonly print: (text: string) => void;
  /** Standard error: what happens. */
  readonly tell: (text: string) => void;
  /** Fulfilled when the process is asked to end. */
  readonly untilAskedToEnd: Promise<void>;
}

/** Runs until it is asked to end, and says what the process ends with. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const options = readOptions(argv);
    if (options.isHelp) around.print(help);
    else await serve(options, around);
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    around.tell(error.message);
    return error.exitCode;
  }
}

async function serve(options: Options, { env, print, tell, untilAskedToEnd }: Surroundings): Promise<void> {
  const onError = (error: unknown): void =>
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const auth = options.keys === undefined ? asOwner : readKeys(options.keys);
  const db = await openDatabase({ url: env['DATABASE_URL'] || undefined, folder: options.data, onError });
  try {
    const isNew = await seedBooks(db, {
      now: new Date(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      onProgress: (done, total, what) => tell(`Writing generated books: ${done} of ${total} (${what})`),
    });
    tell(`${isNew ? 'New books' : 'Books'}: ${db.place}`);
    const { registry, toolsets, view } = createServer(createFinance(db), {
      ...options,
      observe: options.isTelemetry ? observeOnConsole(tell) : undefined,
    });
    const shared = { toolsets, view, onError, closeOnSignals: false };
    if (options.isStdio) {
      const running = serveStdio(registry, { ...shared, auth: owner });
      await Promise.race([running.ended, untilAskedToEnd]);
      await running.close();
      return;
    }
    const running = await listen(
      () => serveHttp(registry, { ...shared, auth, port: options.port }),
      options.port,
    );
    if (options.isJson) print(`${JSON.stringify({ url: running.url, pid: process.pid })}\n`);
    else {
      const { form, data, keys } = options;
      print(
        `${describeClients({ url: running.url, form, data: resolve(data), needsKey: keys !== undefined })}\n`,
      );
      print(`Serving ${running.url}. Ctrl+C ends it.\n`);
    }
    await untilAskedToEnd;
    await running.close();
  } finally {
    await db.close();
  }
}

async function listen<T>(start: () => Promise<T>, port: number): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = { EADDRINUSE: 'is taken', EACCES: 'may not be used' }[code ?? ''];
    if (problem === undefined) throw error;
    throw new StartError(
      `The port ${port} ${problem}. Choose another one with --port, or 0 for any that is free.`,
    );
  }
}
