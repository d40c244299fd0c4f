import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { profileNames } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { didYouMean, isJsonObject, nearestName } from '@toolfold/schema/internal';
import { UsageError } from '../command-error.js';
import { severities } from './finding.js';
import type { Finding, Severity } from './finding.js';
import { ruleIds } from './rule-ids.js';

export const CONFIG_FILE = 'toolfold.lint.json';
const MAX_CONFIG_BYTES = 1024 * 1024;

type Level = Severity | 'off';

/** A finding that the configuration accepts, with a reason. */
interface Ignore {
  readonly tool?: string | undefined;
  readonly action?: string | undefined;
  readonly rule?: string | undefined;
  readonly reason: string;
}

export interface LintSettings {
  /** `undefined` if the severity of the rule applies. */
  readonly levelOf: (rule: string) => Level | undefined;
  readonly isIgnored: (finding: Pick<Finding, 'tool' | 'action' | 'rule'>) => boolean;
  /** Entries of the configuration that matched no finding. */
  readonly unusedIgnores: () => readonly string[];
  readonly profiles?: readonly ProfileName[] | undefined;
  readonly failOn?: Severity | undefined;
}

interface Config {
  readonly rules: ReadonlyMap<string, Level>;
  readonly ignores: readonly Ignore[];
  readonly profiles?: readonly ProfileName[] | undefined;
  readonly failOn?: Severity | undefined;
}

/** Finds the configuration next to a file, or in the current folder. */
export function findConfig(file: string | undefined): string | undefined {
  const candidates = [...(file === undefined ? [] : [join(dirname(file), CONFIG_FILE)]), CONFIG_FILE];
  return candidates.find((candidate) => existsSync(candidate));
}

/** Reads the configuration file. The `--rule` options override it. */
export function readSettings(file: string | undefined, options: readonly string[] = []): LintSettings {
  const config = readConfig(file);
  const levels = new Map(config.rules);
  for (const option of options) {
    const [, id = '', level = ''] = /^([^=]*)=(.*)$/.exec(option) ?? [];
    if (id === '')
      throw new UsageError(`--rule must have the form id=off|note|warning|error, not "${option}".`);
    levels.set(readRule(id, '--rule'), readLevel(level, `--rule ${id}`));
  }
  const used = new Set<Ignore>();
  return {
    levelOf: (rule) => levels.get(rule),
    isIgnored: (finding) => {
      const found = config.ignores.find((ignore) => matches(ignore, finding));
      if (found) used.add(found);
      return found !== undefined;
    },
    unusedIgnores: () => config.ignores.filter((ignore) => !used.has(ignore)).map(describeIgnore),
    profiles: config.profiles,
    failOn: config.failOn,
  };
}

function matches(
  { tool, action, rule }: Ignore,
  finding: Pick<Finding, 'tool' | 'action' | 'rule'>,
): boolean {
  return (
    (tool === undefined || tool === finding.tool) &&
    (action === undefined || action === finding.action) &&
    (rule === undefined || rule === finding.rule)
  );
}

function describeIgnore({ tool, action, rule }: Ignore): string {
  return [tool, action, rule].filter((part) => part !== undefined).join(' ');
}

const none: Config = { rules: new Map(), ignores: [] };
const fields = ['rules', 'ignore', 'profiles', 'failOn'] as const;

function readConfig(file: string | undefined): Config {
  if (file === undefined) return none;
  if (!existsSync(file)) throw new UsageError(`--config: the file "${file}" does not exist.`);
  const config = parse(file);
  for (const name of Object.keys(config))
    if (name !== '$schema' && !fields.some((field) => field === name))
      throw new UsageError(
        `${file}: "${name}" is not a setting.${didYouMean(nearestName(name, fields)) || ` Known settings: ${fields.join(', ')}.`}`,
      );
  const { rules = {}, ignore = [], profiles, failOn } = config;
  if (!isJsonObject(rules))
    throw new UsageError(`${file}: rules must map rules to off, note, warning or error.`);
  if (!Array.isArray(ignore)) throw new UsageError(`${file}: ignore must be an array.`);
  return {
    rules: new Map(
      Object.entries(rules).map(([id, level]) => [
        readRule(id, `${file}: rules`),
        readLevel(level, `${file}: rules.${id}`),
      ]),
    ),
    ignores: ignore.map((entry, index) => readIgnore(entry, `${file}: ignore[${index}]`)),
    profiles: profiles === undefined ? undefined : readProfiles(profiles, `${file}: profiles`),
    failOn: failOn === undefined ? undefined : readSeverity(failOn, `${file}: failOn`),
  };
}

function parse(file: string): Record<string, unknown> {
  const { size } = statSync(file);
  if (size > MAX_CONFIG_BYTES) throw new UsageError(`${file} has more than 1 MiB.`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new UsageError(`${file} must be a JSON object.`);
  return value;
}

const ignoreFields = new Set(['tool', 'action', 'rule', 'reason']);

function readIgnore(entry: unknown, where: string): Ignore {
  if (!isJsonObject(entry)) throw new UsageError(`${where} must be an object with rule, tool and reason.`);
  for (const [name, value] of Object.entries(entry)) {
    if (!ignoreFields.has(name))
      throw new UsageError(
        `${where}: "${name}" is not a setting. Known settings: ${[...ignoreFields].join(', ')}.`,
      );
    if (typeof value !== 'string') throw new UsageError(`${where}.${name} must be a string.`);
  }
  const { tool, action, rule, reason } = entry as Partial<Record<string, string>>;
  if (tool === undefined && rule === undefined) throw new UsageError(`${where} must name a rule or a tool.`);
  if (reason === undefined || reason.trim() === '')
    throw new UsageError(`${where} must give a reason, so that readers know why the finding is accepted.`);
  if (rule !== undefined) readRule(rule, where);
  return { tool, action, rule, reason };
}

function readRule(id: string, where: string): string {
  const known = ruleIds();
  if (known.includes(id)) return id;
  throw new UsageError(
    `${where}: there is no rule "${id}".${didYouMean(nearestName(id, known)) || ' docs/reference/lint.md lists all rules.'}`,
  );
}

function readLevel(level: unknown, where: string): Level {
  if (level === 'off' || severities.some((each) => each === level)) return level as Level;
  throw new UsageError(`${where} must be off, note, warning or error, not ${JSON.stringify(level)}.`);
}

export function readSeverity(level: unknown, where: string): Severity {
  if (severities.some((each) => each === level)) return level as Severity;
  throw new UsageError(`${where} must be error, warning or note, not ${JSON.stringify(level)}.`);
}

export function readProfiles(names: unknown, where: string): ProfileName[] {
  if (!Array.isArray(names) || names.length === 0)
    throw new UsageError(`${where} must list one or more profiles.`);
  return names.map((name) => {
    if (profileNames.some((each) => each === name)) return name as ProfileName;
    throw new UsageError(
      `${where}: there is no profile ${JSON.stringify(name)}.${didYouMean(nearestName(String(name), profileNames)) || ` Known profiles: ${profileNames.join(', ')}.`}`,
    );
  });
}
