import { defaultProfiles } from '../../analysis/lint/profile-rules.js';
import { UsageError } from '../../analysis/command-error.js';
import { wholeList } from '../../analysis/lint/finding.js';
import type { Finding, Place } from '../../analysis/lint/finding.js';
import { findConfig, readSettings } from '../../analysis/lint/lint-settings.js';
import type { LintSettings } from '../../analysis/lint/lint-settings.js';
import { lintInSteps } from '../../analysis/lint/lint-tools.js';
import { loadLinearPatterns } from '../../schema/patterns/patterns.js';
import { inSlices } from '../../analysis/steps.js';
import type { Snapshot } from './snapshot.js';
import { surfaceOf } from './surface.js';
import type { PageSurface } from './surface.js';
import type { UpstreamList } from '../page-source.js';
import { showHidden } from '../../analysis/lint/hidden-characters.js';
import { listWireTool } from '../../analysis/target/list-tools.js';
import { toLine } from '../../values/to-line.js';

/** The findings of the linter, by the tools and actions that they are about. */
export interface Findings {
  readonly ofList: readonly Finding[];
  /** By the wire name of the tool, with those of its actions. */
  readonly byTool: ReadonlyMap<string, readonly Finding[]>;
}

/** Checks the grouped tools, as `toolfold lint` does. */
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
      settings,
    });
    const { findings } = await inSlices(steps, shared);
    const all = upstream ? inRegistryNames(findings, upstream, surface) : findings;
    return sortByTool([...(mistake ? [mistake] : []), ...toolsetFindings(surface), ...all]);
  });
}

/** Reads the settings of the rules. A mistake in them is a finding, so that the page still shows the tools. */
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
 * Findings about the tools as a server lists them, at the names that the tools have on the page. Adds the tools that have another name
 * here than on the server, and those that cannot be shown.
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

/** The toolsets that cannot be loaded. */
function toolsetFindings({ failed }: PageSurface): Finding[] {
  return [...failed].map(([key, reason]) => ({
    ...wholeList,
    rule: 'toolset-not-loaded',
    severity: 'error',
    reason: showHidden(`The toolset "${toLine(key, 200)}" cannot be loaded: ${reason}`),
    fix: 'Repair its module loader. The page tries again after half a minute.',
    source: 'docs/guides/page.md',
    date: '',
    isFixable: false,
  }));
}

/** The places of a finding: that of its message, and further ones with the same fault. */
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
