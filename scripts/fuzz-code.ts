/** `npm run fuzz:code`: runs generated hostile programs in the sandbox, and fails if one harms another run or exceeds its limits. */
import { parseArgs } from 'node:util';
import { fuzzCode } from './fuzz-code/run.js';

const help = `npm run fuzz:code -- [--programs 2000] [--seed 1] [--concurrent 4] [--help]

  --programs    number of programs
  --seed        seed of the generated programs; the same seed gives the same programs
  --concurrent  number of programs that run at once
`;

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    concurrent: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const programs = numberOf('programs', values.programs);
let shown = 0;
const { faults, ...facts } = await fuzzCode({
  programs,
  seed: numberOf('seed', values.seed),
  concurrent: numberOf('concurrent', values.concurrent),
  onProgress: (ended, count) => {
    if (ended - shown < programs / 20) return;
    shown = ended;
    process.stderr.write(`${ended} of ${programs} programs, ${count} faults\n`);
  },
});
for (const { what, code } of faults) console.log(`${what}\n${code}\n`);
console.log(facts);
console.log(faults.length === 0 ? 'no fault' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number > 0) return number;
  process.stderr.write(`--${name} must be a whole number above 0.\n`);
  process.exit(2);
}
