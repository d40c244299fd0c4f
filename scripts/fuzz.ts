/** `npm run fuzz`: sends generated requests to a live server, and fails if an answer is wrong. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz/run.js';

const help = `npm run fuzz -- [--requests 100000] [--seed 1] [--only number] [--connections 24] [--json] [--help]

  --requests     number of requests
  --seed         seed of the generated requests; the same seed gives the same requests
  --only         replay one connection, by the number that a fault names
  --connections  number of concurrent connections
  --json         print the result as JSON
`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    connections: { type: 'string', default: '24' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const requests = numberOf('requests', values.requests);
const seed = numberOf('seed', values.seed);
let shown = 0;
const result = await fuzz({
  requests,
  seed,
  only: values.only === undefined ? undefined : numberOf('only', values.only),
  connections: numberOf('connections', values.connections),
  onProgress: (sent, faults) => {
    if (sent - shown < requests / 20) return;
    shown = sent;
    process.stderr.write(`${sent} of ${requests} requests, ${faults} faults\n`);
  },
});

const { faults, failures, ...facts } = result;
if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else {
  for (const { index, kind, label, what, request } of faults) {
    console.log(`${label} (${kind}) ${what}\n  ${request}`);
    console.log(`  npm run fuzz -- --seed ${seed} --only ${index}\n`);
  }
  for (const failure of failures) console.log(failure);
  console.log(facts);
  console.log(
    faults.length + failures.length === 0 ? 'no fault' : `${faults.length + failures.length} faults`,
  );
}
process.exitCode = faults.length + failures.length === 0 ? 0 : 1;

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} must be a whole number.\n`);
  process.exit(2);
}
