import { isModern, toLine } from 'toolfold/internal';
import { canonicalJson, isJsonObject } from '@toolfold/schema/internal';
import { yieldToEventLoop } from '../steps.js';
import { severities } from './change.js';
import type { Change, Severity } from './change.js';
import { judgeItem } from './judge-item.js';
import type { Known } from './judge-item.js';
import type { Budget } from './judge-schema.js';
import type { Surface, SurfaceItem, SurfaceTool } from './surface.js';
import { compareEntries } from './surface-entries.js';
import { findSuspicions } from './suspicious-text.js';

/** Milliseconds for the whole comparison. Schemas that are not compared by then count as undecided. */
const MAX_MS = 60_000;

/** The differences between two lists of tools. */
export interface Comparison {
  /** The worst severity; `undefined` if nothing changed. */
  readonly severity: Severity | undefined;
  /** The number of changes of each severity. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** Sorted by severity, the worst first. */
  readonly changes: readonly Change[];
  /** Facts that only one of the two surfaces has, such as the scopes of a registry. */
  readonly notCompared: readonly string[];
}

interface CompareOptions {
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
}

export async function compareSurfaces(
  before: Surface,
  after: Surface,
  { maxMs = MAX_MS, signal }: CompareOptions = {},
): Promise<Comparison> {
  const budget = createBudget(maxMs, signal);
  const known: Known = {
    definitions: before.source === 'registry' && after.source === 'registry',
    // 2026 servers do not list the task support of a tool.
    taskSupport: ![before, after].some(({ source, protocol }) => source === 'server' && isModern(protocol)),
  };
  const changes = [
    ...(await compareItems(
      { before: before.tools, after: after.tools, prefix: '', what: 'tool', known },
      (pair) => compareTool(pair, known, budget),
    )),
    ...compareEntries(before.entries, after.entries),
    ...findSuspicions(before, after),
  ];
  const sorted = changes.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      (one.address < other.address ? -1 : one.address > other.address ? 1 : 0),
  );
  if (signal) await yieldToEventLoop(signal);
  const counts = Object.fromEntries(
    severities.map((severity) => [severity, sorted.filter((change) => change.severity === severity).length]),
  ) as Record<Severity, number>;
  return { severity: sorted[0]?.severity, counts, changes: sorted, notCompared: findUnknown(before, after) };
}

/** Milliseconds between two pauses in which signals such as Ctrl-C are handled. */
const PAUSE_MS = 50;

interface PausingBudget extends Budget {
  /** Lets pending signals arrive if the last pause is long enough ago. Throws if a signal cancelled the comparison. */
  readonly pause: () => Promise<void>;
}

function createBudget(maxMs: number, signal: AbortSignal | undefined): PausingBudget {
  const end = Date.now() + maxMs;
  let last = Date.now();
  return {
    leftMs: () => end - Date.now(),
    pause: async () => {
      if (Date.now() - last < PAUSE_MS) return;
      await new Promise((resolve) => void setImmediate(resolve));
      signal?.throwIfAborted();
      last = Date.now();
    },
  };
}

interface Lists<T extends SurfaceItem> {
  readonly before: readonly T[];
  readonly after: readonly T[];
  /** `tool/` for the actions of a tool, otherwise empty. */
  readonly prefix: string;
  readonly what: 'tool' | 'action';
  readonly known: Known;
}

interface Pair<T> {
  readonly address: string;
  readonly before: T;
  readonly after: T;
}

async function compareItems<T extends SurfaceItem>(
  lists: Lists<T>,
  compare: (pair: Pair<T>) => Promise<Change[]>,
): Promise<Change[]> {
  const { before, after, prefix, what, known } = lists;
  const now = new Map(after.map((item) => [item.name, item]));
  const old = new Map(before.map((item) => [item.name, item]));
  const byAlias = new Map(
    after.flatMap((item) => (item.aliases ?? []).map((alias) => [alias, item] as const)),
  );
  const changes: Change[] = [];
  const renamed = new Set<string>();
  const removed: T[] = [];
  for (const item of before) {
    const address = `${prefix}${item.name}`;
    const same = now.get(item.name);
    const other = same ?? byAlias.get(item.name);
    if (!other) {
      removed.push(item);
      continue;
    }
    if (!same) {
      renamed.add(other.name);
      changes.push({
        address,
        severity: 'compatible',
        kind: `${what}-renamed`,
        message: `Renamed to "${toLine(other.name)}". The old name still works, because it is an alias.`,
      });
    }
    changes.push(...(await compare({ address, before: item, after: other })));
    if (!known.definitions) continue;
    for (const alias of item.aliases ?? [])
      if (!now.has(alias) && !byAlias.has(alias))
        changes.push({
          address,
          severity: 'breaking',
          kind: 'alias-removed',
          message: `The former name "${toLine(alias)}" no longer works.`,
        });
  }
  const added = after.filter(({ name }) => !old.has(name) && !renamed.has(name));
  const guesses = guessRenames(removed, added);
  for (const item of removed) {
    const guess = guesses.get(item.name);
    changes.push({
      address: `${prefix}${item.name}`,
      severity: 'breaking',
      kind: `${what}-removed`,
      message:
        guess === undefined
          ? `The ${what} was removed.`
          : `The ${what} was removed. It was probably renamed to "${toLine(guess)}", which has the same fields and a similar description. An alias would keep the old name.`,
    });
  }
  for (const { name, description } of added)
    changes.push({
      address: `${prefix}${name}`,
      severity: 'compatible',
      kind: `${what}-added`,
      message: `The ${what} was added${description === undefined ? '' : `: ${toLine(description, 100)}`}`,
    });
  return changes;
}

async function compareTool(
  { address, before, after }: Pair<SurfaceTool>,
  known: Known,
  budget: PausingBudget,
): Promise<Change[]> {
  await budget.pause();
  const changes = judgeItem({ address, before, after, isAction: false, known }, budget);
  if (canonicalJson(before._meta) !== canonicalJson(after._meta))
    changes.push({ address, severity: 'note', kind: 'meta', message: '_meta changed.' });
  if (canonicalJson(before.other) !== canonicalJson(after.other))
    changes.push({ address, severity: 'note', kind: 'other', message: 'Icons or annotations changed.' });
  if (
    before.inputDigest !== after.inputDigest &&
    before.inputDigest !== undefined &&
    after.inputDigest !== undefined
  )
    changes.push({
      address,
      severity: 'note',
      kind: 'input-rewritten',
      message: 'The input schema is written differently.',
    });
  if (!before.actions && !after.actions) return changes;
  if (!before.actions || !after.actions) {
    changes.push({
      address,
      severity: 'breaking',
      kind: 'shape-changed',
      message: after.actions
        ? `The tool now takes the action in "${toLine(after.discriminator)}".`
        : `The tool no longer takes the action in "${toLine(before.discriminator)}".`,
    });
    return changes;
  }
  if (before.discriminator !== after.discriminator)
    changes.push({
      address,
      severity: 'breaking',
      kind: 'discriminator-renamed',
      message: `The argument that names the action was renamed from "${toLine(before.discriminator)}" to "${toLine(after.discriminator)}".`,
    });
  const lists = {
    before: before.actions,
    after: after.actions,
    prefix: `${address}/`,
    what: 'action',
    known,
  } as const;
  return [
    ...changes,
    ...(await compareItems(lists, async (pair) => {
      await budget.pause();
      return judgeItem({ ...pair, isAction: true, known }, budget);
    })),
  ];
}

function guessRenames(
  removed: readonly SurfaceItem[],
  added: readonly SurfaceItem[],
): ReadonlyMap<string, string> {
  const bySchema = new Map<string, SurfaceItem[]>();
  for (const item of added) {
    const key = shapeOf(item);
    const known = bySchema.get(key);
    if (known) known.push(item);
    else bySchema.set(key, [item]);
  }
  const guesses = new Map<string, string>();
  for (const item of removed) {
    const candidates = (bySchema.get(shapeOf(item)) ?? []).slice(0, 50);
    const [best] = candidates
      .map((other) => ({ other, likeness: similarity(item, other) }))
      .filter(({ likeness }) => likeness >= 0.5)
      .toSorted((one, other) => other.likeness - one.likeness);
    if (best) guesses.set(item.name, best.other.name);
  }
  return guesses;
}

function shapeOf(item: SurfaceItem): string {
  const { inputSchema, actions } = item as SurfaceTool;
  return canonicalJson([stripTexts(inputSchema), actions?.map(({ name }) => name)]);
}

/** Removes texts, and keywords that often change together with a name, so that a renamed tool has an equal schema. */
function stripTexts(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(stripTexts);
  if (!isJsonObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => {
        if (key === '$schema' || key === 'default') return false;
        if (key === 'additionalProperties') return typeof value !== 'boolean';
        return typeof value !== 'string' || (key !== 'description' && key !== 'title');
      })
      .map(([key, value]) => [key, stripTexts(value)]),
  );
}

/** Share of common words in two descriptions. Compares the names if a description is missing. */
function similarity(one: SurfaceItem, other: SurfaceItem): number {
  const [left, right] = [one, other].map(
    ({ name, description }) =>
      new Set(
        (description ?? name)
          .slice(0, 2_000)
          .toLowerCase()
          .split(/[^\p{L}\p{N}]+/u)
          .filter(Boolean),
      ),
  ) as [Set<string>, Set<string>];
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(1, left.size + right.size - common);
}

function findUnknown(before: Surface, after: Surface): string[] {
  const unknown: string[] = [];
  if ((before.source === 'registry') !== (after.source === 'registry'))
    unknown.push(
      'Scopes, aliases, and the hints and output schemas of actions are not compared, because only a file that exports a registry tells them. A running server also lists schemas as it rewrites them for clients.',
    );
  if (before.form !== undefined && after.form !== undefined && before.form !== after.form)
    unknown.push(
      `The forms differ: ${toLine(before.form)} before, ${toLine(after.form)} after. Choose one with --form.`,
    );
  return unknown;
}
