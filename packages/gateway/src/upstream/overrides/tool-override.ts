import { findSearchProblem, toWireName } from 'toolfold/internal';
import type { Cached, Hints, OutputBudget, RetryRule, SearchWords } from 'toolfold';
import { ErrInvalidOptions } from 'toolfold/errors';
import {
  assertOptions,
  assertPlain,
  count,
  durationMs,
  flag,
  listOf,
  names,
  positiveMs,
  record,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

/** The changes to one tool of an upstream server. Fields that are left out keep the value of the server. */
export interface ToolOverride extends Hints {
  /** Another name for the tool. The old name no longer works, unless it is one of the `aliases`. */
  readonly name?: string;
  /** Former names that still work, but are not listed. */
  readonly aliases?: readonly string[];
  /** Whether to leave the tool out, so that it is neither listed nor callable. */
  readonly hide?: boolean;
  /** The name that clients show to people. */
  readonly title?: string;
  /** The description by which a model chooses the tool. */
  readonly description?: string;
  /** Arguments that are filled in if the caller does not send them. The listed schema makes them optional. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Arguments that are always sent with these values. The listed schema leaves them out, and callers cannot set them. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Words by which the search finds the tool beside its own texts. */
  readonly search?: SearchWords;
  /** Scopes that a caller must have to call the tool. */
  readonly scopes?: readonly string[];
  /** Tags by which views, filters and the search select the tool. */
  readonly tags?: readonly string[];
  /** Milliseconds after which a call times out. */
  readonly timeoutMs?: number;
  /** How many calls one call counts as for the rate limit. */
  readonly cost?: number;
  /** Retries failed calls. Only for idempotent or read-only tools. */
  readonly retry?: RetryRule;
  /** Caches results. Only for read-only tools. */
  readonly cached?: Cached;
  /** Limits the size of a result. */
  readonly outputBudget?: OutputBudget;
}

/** The changes to the tools of an upstream server, by the names that the server gives them. */
export type ToolOverrides = Readonly<Record<string, ToolOverride>>;

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && toWireName(value) === value;
const NAME = 'at most 64 letters, digits, _ and -';
const shown = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const rules: Rules<keyof ToolOverride> = {
  name: [isName, NAME],
  aliases: [(value) => Array.isArray(value) && value.every(isName), `a list of names with ${NAME} each`],
  hide: flag,
  title: [shown, 'text'],
  description: [shown, 'text'],
  readOnly: flag,
  destructive: flag,
  idempotent: flag,
  openWorld: flag,
  defaults: record('an object of arguments'),
  fixed: record('an object of arguments'),
  search: record('{ keywords, examples }'),
  scopes: names,
  tags: listOf('tags'),
  timeoutMs: positiveMs,
  cost: count,
  retry: record('{ attempts, delayMs }'),
  cached: record('{ ttlMs, staleWhileRevalidateMs, shared, tags }'),
  outputBudget: record('{ bytes, tokens }'),
};

const retryRules: Rules<keyof RetryRule> = {
  attempts: [
    (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 10,
    '1 to 10',
  ],
  delayMs: durationMs,
};
const cachedRules: Rules<keyof Cached> = {
  ttlMs: positiveMs,
  staleWhileRevalidateMs: durationMs,
  shared: flag,
  tags: listOf('tags'),
};
const budgetRules: Rules<keyof OutputBudget> = {
  bytes: count,
  tokens: count,
  countTokens: [(value) => typeof value === 'function', 'a function'],
};

/** Throws at the first invalid field and names its path. `place` names the root: `overrides`, or a file and its field. */
export function assertOverrides(place: string, overrides: unknown): asserts overrides is ToolOverrides {
  assertPlain(place, overrides);
  for (const [tool, override] of Object.entries(overrides))
    assertOverride(`${place}[${JSON.stringify(tool.slice(0, 100))}]`, override);
}

function check(path: string, value: unknown, table: Rules, required: readonly string[] = []): void {
  assertOptions(path, value, table, { nameOf: (name) => `${path}.${name}`, required });
}

function assertOverride(place: string, override: unknown): void {
  check(place, override, rules);
  const {
    search,
    retry,
    cached,
    outputBudget,
    defaults = {},
    fixed = {},
    hide,
    ...others
  } = override as ToolOverride;
  const problem = search === undefined ? undefined : findSearchProblem(search);
  if (problem !== undefined) throw new ErrInvalidOptions(`${place}.search${problem}`);
  if (retry) check(`${place}.retry`, retry, retryRules, ['attempts']);
  if (cached) check(`${place}.cached`, cached, cachedRules, ['ttlMs']);
  if (outputBudget) check(`${place}.outputBudget`, outputBudget, budgetRules);
  if (outputBudget && outputBudget.bytes === undefined && outputBudget.tokens === undefined)
    throw new ErrInvalidOptions(`${place}.outputBudget must have bytes or tokens.`);
  const both = Object.keys(defaults).find((key) => Object.hasOwn(fixed, key));
  if (both !== undefined)
    throw new ErrInvalidOptions(`${place} has "${both}" both in defaults and in fixed.`, {
      hint: 'Use fixed if callers must not set the argument, otherwise defaults.',
    });
  if (
    hide === true &&
    Object.values({ ...others, search, retry, cached, outputBudget }).some((value) => value !== undefined)
  )
    throw new ErrInvalidOptions(`${place} hides the tool, so its other fields have no effect.`, {
      hint: 'Remove hide, or remove the other fields.',
    });
  if (others.readOnly === true && others.destructive === true)
    throw new ErrInvalidOptions(`${place} declares the tool both readOnly and destructive.`);
}
