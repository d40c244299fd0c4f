/** `npm run soak:showcase`: a day of the showcase in minutes. Fails if a call fails, memory grows, or the books do not balance. */
import { parseArgs } from 'node:util';
import { MAX_HEAP_GROWTH, MAX_RSS_GROWTH } from './soak/showcase/memory.js';
import { liveADay } from './soak/showcase/run.js';

const help = `npm run soak:showcase -- [--minutes 10] [--people 20] [--seed 1] [--json] [--help]

24 hours of the showcase, with a clock that runs faster: people with clients of 2025 (SDK v1, in sessions) and of 2026-07-28
(SDK v2) read, write, correct, repeat, leave and come back. It fails where a call fails, where an account does not hold what
was written into it, or where memory is not flat: the median of the last third of the samples, taken after garbage was
collected, may be ${MAX_HEAP_GROWTH} MB of heap and ${MAX_RSS_GROWTH} MB of the process above the median of the middle third.

  --minutes  in how many minutes the day passes
  --people   how many there are; every second one has a client of 2025
  --seed     what they do
  --json     the result as JSON on standard output
  --help     show this

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
