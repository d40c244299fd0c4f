import { devtools } from '@toolfold/devtools';
import type { Devtools } from '@toolfold/devtools';
import { serveHttp, serveStdio } from 'toolfold/node';
import { readKeys } from './access.js';
import { describeClients } from './clients.js';
import { openDatabase } from './database/open.js';
import { StartError } from './errors.js';
import { createFinance } from './finance.js';
import type { Options } from './options.js';
import type { Surroundings } from './program.js';
import { seedBooks } from './seed/seed.js';
import { createServer } from './server.js';

/** Opens the books, serves them until the process is asked to stop or the client disconnects, and closes them. */
export async function serve(options: Options, around: Surroundings): Promise<void> {
  const { env, tell } = around;
  const onError = (error: unknown): void => {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
  const keys = options.keys === undefined ? {} : { auth: readKeys(options.keys) };
  tell('Opening the books');
  const url = env['DATABASE_URL'] || undefined;
  const ending = new AbortController();
  void around.untilAskedToEnd.then(() => ending.abort());
  const db = await openDatabase({ url, folder: options.data, onError, tell, signal: ending.signal });
  try {
    const isNew = await seedBooks(db, {
      now: new Date(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      onProgress: (done, total, what) => tell(`Writing generated books: ${done} of ${total} (${what})`),
    });
    tell(`${isNew ? 'New books' : 'Books'}: ${db.place}`);
    const { registry, http, stdio } = createServer(createFinance(db), {
      ...options,
      ...keys,
      observe: options.isTelemetry ? (await import('./telemetry.js')).observeOnConsole(tell) : undefined,
    });
    const shared = { onError, closeOnSignals: false };
    if (options.isStdio) {
      const running = serveStdio(registry, { ...stdio, ...shared });
      await Promise.race([running.ended, around.untilAskedToEnd]);
      await running.close();
    } else {
      const { port } = options;
      const running = await listen(() => serveHttp(registry, { ...http, ...shared, port }), port);
      const page = options.hasPage ? await openPage(registry, http, tell) : undefined;
      announce({ url: running.url, page: page?.url }, options, around);
      await around.untilAskedToEnd;
      await page?.close();
      await running.close();
    }
  } finally {
    await db.close();
  }
}

/** Serves the page that shows the server in a browser. The server works without it. */
async function openPage(
  registry: ReturnType<typeof createServer>['registry'],
  { view, toolsets }: ReturnType<typeof createServer>['http'],
  tell: Surroundings['tell'],
): Promise<Devtools | undefined> {
  try {
    return await devtools(registry, { view, toolsets, onError: (error) => tell(String(error)) });
  } catch (error) {
    tell(`The page cannot be served: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

interface Addresses {
  readonly url: string;
  readonly page: string | undefined;
}

function announce({ url, page }: Addresses, options: Options, { env, print }: Surroundings): void {
  if (options.isJson) return print(`${JSON.stringify({ url, page, pid: process.pid })}\n`);
  const clients = describeClients(url, options, env['DATABASE_URL'] || undefined);
  const pageLine = page === undefined ? '' : `Page: ${page}\n`;
  print(`${clients}\n${pageLine}Serving ${url}. Ctrl+C ends it.\n`);
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
