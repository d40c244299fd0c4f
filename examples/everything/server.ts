/**
 * Serves the registry over HTTP with `--port 3000` (0 chooses a free port; the address is printed), or over stdio with
 * `--stdio`. Stops on SIGINT and SIGTERM.
 */
import { parseArgs } from 'node:util';
import { serveHttp, serveStdio } from 'toolfold/node';
import { createEverything } from './registry.js';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, stdio: { type: 'boolean', default: false } },
});

const registry = createEverything();
const onError = (error: unknown): void => console.error(error);
// The conformance suite checks that schemas are listed with every keyword of their authors.
const view = { profile: 'none' } as const;
const running = values.stdio
  ? serveStdio(registry, { onError, view })
  : await serveHttp(registry, { port: Number(values.port), onError, view });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.close());
if ('url' in running) console.log(running.url);
