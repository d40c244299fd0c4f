import { runInSlices } from '@toolfold/search/internal';
import { DEFAULT_PROFILE, toLine } from 'toolfold/internal';
import {
  defaultProfiles,
  findConfig,
  lintInSteps,
  listWireTool,
  readSettings,
  showHidden,
  UsageError,
  wholeList,
} from '@toolfold/analysis/internal';
import type { Finding } from '@toolfold/analysis';
import type { LintSettings, Place } from '@toolfold/analysis/internal';
import { loadLinearPatterns } from '@toolfold/schema/internal';
import type { Snapshot } from './snapshot.js';
import { surfaceOf } from './surface.js';
import type { PageSurface } from './surface.js';
import type { UpstreamList } from '../page-source.js';

export interface Findings {
  readonly ofList: readonly Finding[];
  /** By the wire name of the tool, including the findings of its actions. */
  readonly byTool: ReadonlyMap<string, readonly Finding[]>;
}

/** Checks the grouped tools with the rules of `toolfold lint`. */
export function findingsOf(snapshot: Snapshot, signal: AbortSignal): Promise<Findings> {
  return snapshot.share('findings', signal, async (shared) => {
    const surface = await surfaceOf(snapshot, shared);
    const upstream = snapshot.source.upstream?.();
    const listed = upstream ? [...upstream.tools.values()].map(listWireTool) : surface.lowered;
    const { settings, mistake } = readOwnSettings(snapshot.source.lintConfig);
    await loadLinearPatterns();
    const steps = lintInSteps(listed, {
      server: snapshot.loaded.registry.name,
      profiles: settings.profiles ?? defaultProfiles,
      isChosen: settings.profiles !== undefined,
      isLowered: !upstream && surface.profile === DEFAULT_PROFILE,
      settings,
    });
    const { findings } = await runInSlices(steps, shared);
    const all = upstream ? inRegistryNames(findings, upstream, surface) : findings;
    return sortByTool([...(mistake ? [mistake] : []), ...toolsetFindings(surface), ...all]);
  });
}

/** Reads the settings of the rules. A mistake in them becomes a finding, so that the page still shows the tools. */
function readOwnSettings(file: string | undefined): { settings: LintSettings; mistake?: Finding } {
  try {
    return { settings: readSettings(file ?? findConfig(undefined)) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const mistake: Finding = {
      ...wholeList,
      rule: 'configuration',
      severity: 'error',
      reason: error.message,
      fix: 'Repair the configuration of the linter. Until then, its rules have their defaults.',
      source: 'docs/reference/lint.md',
      date: '',
      isFixable: false,
    };
    return { settings: readSettings(undefined), mistake };
  }
}

/**
 * Maps findings about the tools of another server to the names that the page uses. Adds findings for renamed tools and for tools
 * that cannot be shown.
 */
function inRegistryNames(
  findings: readonly Finding[],
  { tools, leftOut }: UpstreamList,
  { tools: authored, lowered }: PageSurface,
): Finding[] {
  const shownNames = new Map(
    authored.map(({ tool }, at) => [tool.name, lowered[at]?.tool.name ?? tool.name]),
  );
  const names = new Map([...tools].map(([name, original]) => [original.name, shownNames.get(name) ?? name]));
  const rename = <P extends Place>(place: P): P => ({ ...place, tool: names.get(place.tool) ?? place.tool });
  const own = { source: 'docs/guides/page.md', date: '', isFixable: false };
  return [
    ...[...leftOut].map(([name, reason]): Finding => ({
      ...own,
      ...wholeList,
      rule: 'left-out',
      severity: 'error',
      reason: showHidden(`"${toLine(name, 200)}" is left out: ${toLine(reason, 500)}`),
      fix: 'Change its definition in the server. Clients may reject it, too.',
    })),
    ...[...tools]
      .filter(([name, original]) => original.name !== name)
      .map(([name, original]): Finding => ({
        ...own,
        tool: shownNames.get(name) ?? name,
        pointer: '/name',
        rule: 'renamed',
        severity: 'note',
        reason: showHidden(`The server calls this tool "${toLine(original.name, 200)}".`),
        fix: 'Nothing, if your clients accept the name. The page calls the tool by a portable name.',
      })),
    ...findings.map((finding) => ({
      ...rename(finding),
      ...(finding.others ? { others: finding.others.map(rename) } : {}),
    })),
  ];
}

/** Creates a finding for each toolset that cannot be loaded. */
function toolsetFindings({ failed }: PageSurface): Finding[] {
  return [...failed].map(([key, reason]) => ({
    ...wholeList,
    rule: 'toolset-not-loaded',
    severity: 'error',
    reason: showHidden(`The toolset "${toLine(key, 200)}" cannot be loaded: ${reason}`),
    fix: 'Repair its module loader. If another toolset has a tool with the same name, rename one of the two or set exposurePolicy.namespaceToolsWithSetKey. The page tries again after half a minute.',
    source: 'docs/guides/page.md',
    date: '',
    isFixable: false,
  }));
}

export function placesOf(finding: Finding): readonly Place[] {
  return [finding, ...(finding.others ?? [])];
}

function sortByTool(findings: readonly Finding[]): Findings {
  const byTool = new Map<string, Finding[]>();
  for (const finding of findings) {
    for (const tool of new Set(placesOf(finding).map((place) => place.tool))) {
      if (tool === '') continue;
      const known = byTool.get(tool);
      if (known) known.push(finding);
      else byTool.set(tool, [finding]);
    }
  }
  return { ofList: findings.filter(({ tool }) => tool === ''), byTool };
}
