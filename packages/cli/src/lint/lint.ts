import { profileNames } from '@toolfold/profiles';
import {
  CommandError,
  CONFIG_FILE,
  createSurface,
  defaultProfiles,
  exitCodes,
  findConfig,
  lintInSteps,
  listWireTool,
  readDocuments,
  readProfiles,
  readSettings,
  readSeverity,
  replaceFile,
  severities,
  textsOf,
  UsageError,
} from '@toolfold/analysis/internal';
import { removeHidden } from '@toolfold/analysis/text';
import { withTarget } from '../target/open-target.js';
import type { Finding, Severity } from '@toolfold/analysis';
import type { LintOptions, LintResult, ListedTool, OpenTarget, Place } from '@toolfold/analysis/internal';
import {
  describeTarget,
  describeForms,
  readFormOptions,
  readOnlyTarget,
  readTargetOptions,
  targetSpecs,
} from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import { isSavedList, readSavedList, toMcpTool } from '../target/saved-list.js';
import type { SavedList } from '../target/saved-list.js';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { runSteps } from '../terminal/steps.js';
import { serverExits } from '../terminal/command.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { fixList, fixSource, removeComments } from './apply-fixes.js';
import type { TextFix } from './apply-fixes.js';
import { readSidecar } from '@toolfold/search/internal';
import { readSidecarFile, searchFileSpecs } from '../search/read-sidecar.js';
import { loadLinearPatterns } from '@toolfold/schema/internal';
import { createLocator } from './report/locate.js';
import { DEFAULT_PROFILE } from 'toolfold/internal';
import { writeGithub } from './report/write-github.js';
import { writeSarif } from './report/write-sarif.js';
import { writeText } from './report/write-text.js';
import type { LintReport } from './report/write-text.js';

const formats = ['text', 'json', 'sarif', 'github'] as const;
type Format = (typeof formats)[number];

export const lintCommand: Command = {
  summary: 'Find what clients reject and what misleads models',
  about: `Find mistakes in tools: what clients reject, and what misleads models.

Usage:
  toolfold lint [options] <file>
  toolfold lint [options] <list.json>
  toolfold lint [options] <url>
  toolfold lint [options] -- <command> [arguments]

The file exports a registry; a JSON file holds a saved tools/list. Every finding has a rule, a place, a reason, a fix and a
source. A severity of error means that a client rejects the tools or that a model is misled.`,
  specs: {
    profile: {
      value: 'a,b',
      isRepeatable: true,
      help: 'Clients whose rules are checked. Default: all except openai-strict',
    },
    rule: {
      value: 'id=off|note|warning|error',
      isRepeatable: true,
      help: 'Switch a rule off, or set its severity',
    },
    config: {
      value: 'file',
      help: `Configuration of the rules. Default: ${CONFIG_FILE} in the folder of the file, or in the current folder`,
    },
    'fail-on': {
      value: 'error|warning|note',
      help: 'The lowest severity that makes the exit code 1. Default: error',
    },
    fix: { help: 'Repair a saved list, or texts of a file, where that changes no valid call' },
    output: { value: 'file', help: 'With --fix and a saved list: write the repaired list to this file' },
    format: { value: 'text|json|sarif|github', help: 'Format of the report. Default: text' },
    ...describeForms(
      'With a file: the form to check. Default: that of the server; grouped for search and code',
    ),
    'server-name': {
      value: 'name',
      help: 'The name that clients give the server, which some put before the names of tools',
    },
    ...searchFileSpecs,
    ...targetSpecs,
    json: { help: 'The same as --format json' },
  },
  notes: `Profiles: ${profileNames.join(', ')}`,
  examples: [
    'toolfold lint server.ts',
    'toolfold lint tools.json --fix --output fixed.json',
    'toolfold lint server.ts --format sarif > lint.sarif',
    'toolfold lint --rule name-repeats-server=off --fail-on warning -- npx -y some-server',
  ],
  exits: {
    0: 'no finding is as severe as --fail-on',
    1: 'a finding is, or the server could not be listed',
    2: 'the command line or the configuration is invalid',
    ...serverExits,
  },
  run: lint,
};

async function lint(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const target = readOnlyTarget(read, 'lint');
  const format = readFormat(read);
  const form = readFormOptions(read);
  const config = options.get('config')?.[0] ?? findConfig('file' in target ? target.file : undefined);
  const settings = readSettings(config, options.get('rule'));
  const chosen = readList(options.get('profile'));
  const profiles = chosen ? readProfiles(chosen, '--profile') : settings.profiles;
  const failOn = options.has('fail-on')
    ? readSeverity(options.get('fail-on')?.[0], '--fail-on')
    : (settings.failOn ?? 'error');
  const output = options.get('output')?.[0];
  assertFixable(target, options.has('fix'), output);
  const opening = { ...readTargetOptions(read), ...form, isWhole: true, terminal };
  return withTarget(target, opening, async (opened, signal) => {
    if (options.has('search-file') && opened.isSearch !== true)
      throw new UsageError('--search-file works only with a file and --form search or --form code.');
    const saved = 'file' in target && isSavedList(target.file) ? await readSavedList(target.file) : undefined;
    const checks: LintOptions = {
      server: options.get('server-name')?.[0] ?? opened.server.name,
      profiles: profiles ?? defaultProfiles,
      isChosen: profiles !== undefined,
      isLowered: opened.kind === 'module' && opened.profile === DEFAULT_PROFILE,
      settings,
      searched: opened.isSearch === true ? await readSearched(opened, read) : undefined,
    };
    await loadLinearPatterns();
    const check: Check = (tools) => {
      const text = `checking ${tools.length.toLocaleString('en')} tools`;
      return runSteps(lintInSteps(tools, checks), { terminal, text, signal });
    };
    const before = await check(opened.tools);
    const after = options.has('fix')
      ? await fix({ target, saved, opened, output, checks, check }, before)
      : before;
    for (const entry of settings.unusedIgnores())
      terminal.notify(`the configuration ignores "${entry}", which is not found`);
    const report = createReport(describeTarget(target), opened, checks, {
      ...after,
      fixed: before.findings.length - after.findings.length,
    });
    const locate = createLocator(target, saved);
    if (format === 'json') terminal.printJson(toJson(report, locate));
    else if (format === 'sarif') terminal.printJson(writeSarif(report, locate));
    else if (format === 'github') {
      const text = writeGithub(report.findings, locate);
      if (text !== '') terminal.print(text);
    } else terminal.printColoured((isColoured) => writeText(report, isColoured));
    return isAtLeast(report, failOn) ? exitCodes.failed : exitCodes.done;
  });
}

async function readSearched(
  opened: OpenTarget,
  { options }: ReadArguments,
): Promise<LintOptions['searched']> {
  const file = options.get('search-file')?.[0];
  const words = file === undefined ? undefined : readSidecar(readSidecarFile(file));
  const { documents } = await readDocuments(opened, words);
  const actions = opened.isCode === true ? await opened.searchedActions?.() : undefined;
  return documents.map((document) => ({
    ...document,
    isUndeclared:
      actions !== undefined &&
      actions.entries.byAddress.get(document.address)?.compiled.action.output === undefined,
  }));
}

function readFormat({ options }: ReadArguments): Format {
  const given = options.get('format')?.[0];
  const format = formats.find((each) => each === given);
  if (given !== undefined && !format)
    throw new UsageError(`--format must be text, json, sarif or github, not "${given}".`);
  if (!options.has('json')) return format ?? 'text';
  if (format !== undefined && format !== 'json')
    throw new UsageError(`--json and --format ${format} contradict each other. Pass one of them.`);
  return 'json';
}

function assertFixable(target: Target, isFix: boolean, output: string | undefined): void {
  if (output !== undefined && !isFix) throw new UsageError('--output works only with --fix.');
  if (!isFix) return;
  if (!('file' in target))
    throw new UsageError(
      '--fix needs a file. Save the answer of tools/list to repair the list of a running server.',
    );
  if (output !== undefined && !isSavedList(target.file))
    throw new UsageError('--output works only with a saved list. The texts of a file are repaired in place.');
}

interface FixOptions {
  readonly target: Target;
  readonly saved: SavedList | undefined;
  readonly opened: OpenTarget;
  readonly output: string | undefined;
  readonly checks: LintOptions;
  readonly check: Check;
}

type Check = (tools: readonly ListedTool[]) => Promise<LintResult>;

async function fix(
  { target, saved, opened, output, checks, check }: FixOptions,
  before: LintResult,
): Promise<LintResult> {
  if (!('file' in target)) return before;
  if (saved) {
    const { tools, text } = fixList(saved, before.findings, checks.profiles);
    // Check the fixed list before writing it, so that Ctrl-C leaves the file unchanged.
    const after = await check(tools.map((tool) => listWireTool(toMcpTool(String(tool['name']), tool))));
    try {
      replaceFile(output ?? target.file, text);
    } catch (error) {
      throw new CommandError(`The repaired list cannot be written: ${(error as Error).message}`);
    }
    return after;
  }
  const repaired = repairSource(target.file, textFixes(opened, before.findings));
  return { ...before, findings: before.findings.filter((finding) => !repaired.has(finding)) };
}

function repairSource(file: string, fixes: readonly TextFix[]): ReadonlySet<Finding> {
  try {
    return new Set(fixSource(file, fixes));
  } catch (error) {
    throw new CommandError(`${file} cannot be repaired: ${(error as Error).message}`);
  }
}

function keyOf({ tool, action }: Place): string {
  return JSON.stringify([tool, action]);
}

function textFixes({ tools, server }: OpenTarget, findings: readonly Finding[]): TextFix[] {
  const { items } = createSurface(tools, server.name);
  const byPlace = new Map(items.toReversed().map((item) => [keyOf(item), item]));
  return findings.flatMap((finding): TextFix[] => {
    const map = { 'hidden-characters': removeHidden, 'hidden-text': removeComments }[finding.rule];
    if (!map) return [];
    const item = byPlace.get(keyOf(finding));
    const found =
      item && [...textsOf(item)].find(({ pointer, isProse }) => isProse && pointer === finding.pointer);
    const to = found && map(found.text);
    return found && to !== undefined && to !== found.text ? [{ finding, from: found.text, to }] : [];
  });
}

function createReport(
  source: string,
  { tools }: OpenTarget,
  { profiles }: LintOptions,
  { findings, ignored, fixed }: LintResult & { readonly fixed: number },
): LintReport {
  const countOf = (severity: Severity): number =>
    findings.filter((each) => each.severity === severity).length;
  return {
    source,
    tools: tools.length,
    actions: tools.reduce((sum, { actions }) => sum + Math.max(1, actions.length), 0),
    profiles,
    findings,
    counts: { error: countOf('error'), warning: countOf('warning'), note: countOf('note') },
    ignored,
    fixed,
  };
}

function toJson(report: LintReport, locate: ReturnType<typeof createLocator>): unknown {
  return {
    ...report,
    findings: report.findings.map((finding) => ({ ...finding, location: locate(finding) })),
  };
}

function isAtLeast({ findings }: LintReport, failOn: Severity): boolean {
  const limit = severities.indexOf(failOn);
  return findings.some(({ severity }) => severities.indexOf(severity) <= limit);
}
