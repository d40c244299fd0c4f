/** `npm run soak:showcase`: a day of the showcase in minutes. Fails if a call fails, memory grows, or the books do not balance. */
import { parseArgs } from 'node:util';
import { MAX_HEAP_GROWTH, MAX_RSS_GROWTH } from './soak/showcase/memory.js';
import { liveADay } from './soak/showcase/run.js';

const help = `npm run soak:showcase -- [--minutes 10] [--people 20] [--seed 1] [--json] [--help]

Simulates 24 hours of the showcase with an accelerated clock: users with 2025 clients (SDK v1, in sessions) and 2026 clients
(SDK v2) read, write, correct, repeat, disconnect and reconnect. Exits with 1 if a call fails, if an account has a wrong
balance, or if memory grows: the median of the last third of the samples, taken after garbage collection, may exceed the
median of the middle third by ${MAX_HEAP_GROWTH} MB of heap and ${MAX_RSS_GROWTH} MB of the process.

  --minutes  duration of the simulated day in minutes
  --people   number of users; every second one has a 2025 client
  --seed     seed of the users' actions
  --json     print the result as JSON
  --help     show this text

Example: npm run soak:showcase -- --minutes 2 --json > day.json
`;

const { values } = parse();
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const result = await liveADay({
  minutes: numberOf('minutes', values.minutes, 0.1),
  people: numberOf('people', values.people, 1),
  seed: numberOf('seed', values.seed, 0),
  onSample: ({ minute, heap, rss }, calls, errors) => {
    process.stderr.write(
      `${minute.toFixed(1)} min, ${calls} calls, ${errors} errors, heap ${heap} MB, process ${rss} MB\n`,
    );
  },
});

if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else {
  const { samples, errors, ...facts } = result;
  for (const error of errors.slice(0, 20)) console.log(error);
  console.log(facts);
  console.log(`heap ${samples.map(({ heap }) => heap).join(' ')} MB`);
  console.log(`process ${samples.map(({ rss }) => rss).join(' ')} MB`);
  console.log(errors.length === 0 ? 'no error, flat memory, books balance' : `${errors.length} errors`);
}
process.exitCode = result.errors.length === 0 ? 0 : 1;

function parse() {
  try {
    return parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        people: { type: 'string', default: '20' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    process.exit(2);
  }
}

function numberOf(name: string, text: string, min: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= min) return number;
  process.stderr.write(`--${name} must be a number of at least ${min}.\n`);
  process.exit(2);
}
