/** `npm run soak`: many concurrent callers use the same ids. Fails if a caller gets an answer of another one. */
import { parseArgs } from 'node:util';
import { soak } from './soak/run.js';

const help = `npm run soak -- [--seconds 60] [--sessions 160] [--moderns 40] [--width 4] [--seed 1] [--json] [--help]

  --seconds   duration of the run
  --sessions  number of concurrent 2025 sessions
  --moderns   number of concurrent 2026 callers
  --width     number of concurrent calls of each caller
  --seed      seed of the calls
  --json      print the result as JSON
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    sessions: { type: 'string', default: '160' },
    moderns: { type: 'string', default: '40' },
    width: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

let shown = 0;
const result = await soak({
  seconds: numberOf('seconds', values.seconds),
  sessions: numberOf('sessions', values.sessions),
  moderns: numberOf('moderns', values.moderns),
  width: numberOf('width', values.width),
  seed: numberOf('seed', values.seed),
  onProgress: (seconds, calls) => {
    if (seconds - shown < 5) return;
    shown = seconds;
    process.stderr.write(`${seconds.toFixed(0)} s, ${calls} calls\n`);
  },
});

const { mixedUp, failures, ...facts } = result;
const faults = mixedUp.length + failures.length;
if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else {
  for (const text of mixedUp.slice(0, 20)) console.log(`mixed up: ${text}`);
  for (const text of failures.slice(0, 20)) console.log(text);
  console.log(facts);
  console.log(faults === 0 ? 'nothing mixed up' : `${mixedUp.length} mixed up, ${failures.length} failures`);
}
process.exitCode = faults === 0 ? 0 : 1;

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} must be a whole number.\n`);
  process.exit(2);
}
