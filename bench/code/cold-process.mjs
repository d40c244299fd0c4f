/** Reports the milliseconds of the first and the second run of `1` in a new process. */
import { createRunner } from './registry.mjs';

const { run, exposure } = await createRunner();
const begin = performance.now();
await run('1');
const first = performance.now() - begin;
await run('1');
process.send?.({ first, second: performance.now() - begin - first });
await exposure.close();
process.exit();
