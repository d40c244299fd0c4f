import type { McpTool } from 'toolfold/model';
import type { UpstreamToolDefinition } from '@toolfold/gateway';
import { originalOf } from '@toolfold/gateway/internal';
import { canonicalJson } from '@toolfold/schema/internal';
import { findSuspicions, idOf, listWireTool, readWireTool, toEntries } from '@toolfold/analysis/internal';
import type { EntryKind, Surface, SurfaceTool } from '@toolfold/analysis/internal';
import { toMcpTool } from '../target/saved-list.js';
import { toLine } from 'toolfold/internal';

export interface ReviewRule {
  readonly file: string;
  readonly lock: Surface;
  /** `quarantine` drops a changed or new tool, `reject` drops its server. */
  readonly changed: 'quarantine' | 'reject';
  readonly diffCommand: string;
}

interface Reviewed {
  readonly accepted: readonly UpstreamToolDefinition[];
  readonly isRejected: boolean;
  /** Number of tools that are not offered because they have not been reviewed. */
  readonly quarantined: number;
  readonly notices: readonly string[];
}

/** The parts of a tool that models, people or clients act on, with the wording for a change. */
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

/** Compares the tools of a server with the reviewed ones. `server` is its name in a lockfile of several servers. */
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

/** Compares prompts or resources with the reviewed ones. Accepts kinds that the lockfile does not contain. */
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

function surfaceOf(tool: McpTool, server: string | undefined): SurfaceTool {
  const surface = readWireTool(listWireTool(toMcpTool(tool.name, { ...tool })));
  // Pass through JSON, because it drops undefined values as in the lockfile.
  const plain = JSON.parse(JSON.stringify(surface)) as SurfaceTool;
  return server === undefined ? plain : { ...plain, name: `${server}/${plain.name}` };
}

function originalName({ name }: SurfaceTool, server: string | undefined): string {
  return server === undefined ? name : name.slice(server.length + 1);
}
