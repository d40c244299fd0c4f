/** The program: `npm start`. See `--help`. */
import { run } from './program.js';

const untilAskedToEnd = new Promise<void>((resolve) => {
  // The handler runs once, so a second signal has its default effect and kills the process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(text),
  tell: (text) => void process.stderr.write(`${text}\n`),
  untilAskedToEnd,
});
// Open handles may keep the process alive. Exit after two seconds, which is enough to flush the output.
setTimeout(() => process.exit(), 2_000).unref();
