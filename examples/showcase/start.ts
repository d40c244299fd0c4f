/** The program: `npm start`. See `--help`. */
import { run } from './program.js';

const untilAskedToEnd = new Promise<void>((resolve) => {
  // A second signal ends the process at once, as it would have without us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(text),
  tell: (text) => void process.stderr.write(`${text}\n`),
  untilAskedToEnd,
});
// Something may still hold the process; what was written gets out before.
setTimeout(() => process.exit(), 2_000).unref();
