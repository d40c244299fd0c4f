// Runs the official conformance suite. `--help` says how.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startEverything } from '../test/conformance/everything-server.js';
import { complaintsOf, toLine, toMarkdown, totalsOf } from '../test/conformance/report.js';
import type { RequirementSet } from '../test/conformance/report.js';
import { installSuite, runRequirements, suiteVersion } from '../test/conformance/suite.js';

const HELP = `npm run conformance -- [options]

Runs the official conformance suite against examples/everything/, and prints how many checks of each
revision of MCP pass. The exit code is 1 when one fails.

  --requirements <revision>  only this one; may be repeated. Default: 2026-07-28 and 2025-11-25
  --url <url>                test a server that runs already
  --json                     print every check as JSON
  --write                    write docs/reference/conformance.md
  --help                     print this
`;

const page = new URL('../docs/reference/conformance.md', import.meta.url);
const { values } = parseArgs({
  options: {
    requirements: { type: 'string', multiple: true },
    url: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.write && (values.requirements ?? values.url) !== undefined) {
  console.error('The page shows everything: --write goes with neither --requirements nor --url.');
  process.exitCode = 2;
} else {
  installSuite();
  const sets = await runAll(values.requirements ?? ['2026-07-28', '2025-11-25'], values.url);
  if (values.json) console.log(JSON.stringify(sets, undefined, 2));
  else for (const set of sets) print(set);
  if (values.write) writeFileSync(page, toMarkdown(sets, suiteVersion));
  process.exitCode = sets.some(({ scenarios }) => totalsOf(scenarios).failed > 0) ? 1 : 0;
}

async function runAll(revisions: readonly string[], running: string | undefined): Promise<RequirementSet[]> {
  const server = running === undefined ? await startEverything() : undefined;
  const sets: RequirementSet[] = [];
  try {
    for (const revision of revisions)
      sets.push(await runRequirements(revision, server?.url ?? running ?? ''));
  } finally {
    await server?.stop();
  }
  return sets;
}

function print(set: RequirementSet): void {
  console.log(`${set.revision}: ${toLine(totalsOf(set.scenarios))}`);
  for (const complaint of complaintsOf(set)) console.log(`  ${complaint}`);
}
