import type { McpTool } from '../../model.js';
import type { UpstreamToolDefinition } from '../../node.js';
import { originalOf } from '../../upstream/original-tool.js';
import { canonicalJson } from '../../values/json-value.js';
import { idOf, toEntries } from '../../analysis/diff/surface-entries.js';
import type { EntryKind } from '../../analysis/diff/surface-entries.js';
import { findSuspicions } from '../../analysis/diff/suspicious-text.js';
import { readWireTool } from '../../analysis/diff/surface.js';
import type { Surface, SurfaceTool } from '../../analysis/diff/surface.js';
import { listWireTool } from '../../analysis/target/list-tools.js';
import { toMcpTool } from '../target/saved-list.js';
import { toLine } from '../../values/to-line.js';

/** The reviewed tools, and what happens to tools that differ from them. */
export interface ReviewRule {
  /** The lockfile. */
  readonly file: string;
  readonly lock: Surface;
  /** Whether a changed or new tool is left out, or its whole server. */
  readonly changed: 'quarantine' | 'reject';
  /** The command that shows the differences. */
  readonly diffCommand: string;
}

interface Reviewed {
  readonly accepted: readonly UpstreamToolDefinition[];
  /** Whether the whole server is left out. */
  readonly isRejected: boolean;
  /** The number of tools that are not offered because they were not reviewed. */
  readonly quarantined: number;
  /** A sentence for each tool that differs. */
  readonly notices: readonly string[];
}

/** The parts of a tool that models, people or clients act on, with the words for a change of each. */
const reviewedParts: readonly (readonly [keyof SurfaceTool, string])[] = [
  ['description', 'description'],
  ['title', 'title'],
  ['inputSchema', 'input schema'],
  ['inputDigest', 'input schema'],
  ['discriminator', 'actions'],
  ['actions', 'actions'],
  ['outputSchema', 'output schema'],
  ['taskSupport', 'task support'],
  ['annotations', 'annotations'],
  ['other', 'icons or annotations'],
  ['_meta', '_meta'],
];

/** Compares the tools of a server with the reviewed ones. `server` is its name if the lockfile holds several servers. */
export function reviewTools(
  tools: readonly UpstreamToolDefinition[],
  { file, lock, changed, diffCommand }: ReviewRule,
  server: string | undefined,
): Reviewed {
  const locked = new Map(lock.tools.map((tool) => [tool.name, tool]));
  const judged = tools.map((definition) => {
    const now = surfaceOf(originalOf(definition), server);
    return { definition, now, difference: findDifference(locked.get(now.name), now) };
  });
  const differing = judged.filter(({ difference }) => difference !== undefined);
  const isRejected = changed === 'reject' && differing.length > 0;
  const fate = isRejected ? 'so the whole server is rejected' : 'so it is quarantined';
  return {
    isRejected,
    accepted: isRejected
      ? []
      : judged.flatMap(({ definition, difference }) => (difference === undefined ? [definition] : [])),
    quarantined: isRejected ? tools.length : differing.length,
    notices: differing.map(
      ({ now, difference }) =>
        `the tool "${toLine(originalName(now, server), 100)}" ${difference} ${file}, ${fate}.${suspicionsOf(lock, now)} Review it: ${diffCommand}`,
    ),
  };
}

interface ReviewedEntries {
  readonly accepted: readonly unknown[];
  readonly notices: readonly string[];
}

/** Compares prompts or resources with the reviewed ones. Kinds that the lockfile does not hold are passed on. */
export function reviewEntries(
  kind: EntryKind,
  listed: readonly unknown[],
  { file, lock, changed, diffCommand }: ReviewRule,
  server: string | undefined,
): ReviewedEntries {
  const reviewed = lock.entries?.[kind];
  if (!reviewed) return { accepted: listed, notices: [] };
  const known = new Map(reviewed.map(({ id, definition }) => [id, canonicalJson(definition)]));
  const judged = listed.map((definition) => {
    const [entry] = toEntries(kind, [definition], server);
    return {
      definition,
      entry,
      isSame: entry !== undefined && known.get(entry.id) === canonicalJson(entry.definition),
    };
  });
  const differing = judged.filter(({ isSame }) => !isSame);
  const isRejected = changed === 'reject' && differing.length > 0;
  return {
    accepted: isRejected ? [] : judged.flatMap(({ definition, isSame }) => (isSame ? [definition] : [])),
    notices: differing.map(({ definition, entry }) => {
      const name = toLine(idOf(kind, definition) ?? 'without a name', 100);
      const how = entry && known.has(entry.id) ? 'differs from' : 'is not in';
      const fate = isRejected ? `so all ${kind} of the server are rejected` : 'so it is quarantined';
      return `"${name}" of the ${kind} ${how} ${file}, ${fate}. Review it: ${diffCommand}`;
    }),
  };
}

/** Says how a tool differs from the reviewed one; `undefined` if it does not. */
function findDifference(before: SurfaceTool | undefined, now: SurfaceTool): string | undefined {
  if (!before) return 'is not in';
  const parts = reviewedParts
    .filter(([part]) => canonicalJson(before[part]) !== canonicalJson(now[part]))
    .map(([, words]) => words);
  return parts.length === 0 ? undefined : `differs in its ${[...new Set(parts)].join(', ')} from`;
}

function suspicionsOf(lock: Surface, now: SurfaceTool): string {
  const [suspicion] = findSuspicions(lock, { source: 'server', tools: [now] });
  return suspicion ? ` ${toLine(suspicion.message, 300)}` : '';
}

/** A tool in the form in which a lockfile holds it. */
function surfaceOf(tool: McpTool, server: string | undefined): SurfaceTool {
  const surface = readWireTool(listWireTool(toMcpTool(tool.name, { ...tool })));
  // Schemas of a lockfile have passed through JSON, which drops undefined values.
  const plain = JSON.parse(JSON.stringify(surface)) as SurfaceTool;
  return server === undefined ? plain : { ...plain, name: `${server}/${plain.name}` };
}

function originalName({ name }: SurfaceTool, server: string | undefined): string {
  return server === undefined ? name : name.slice(server.length + 1);
}
