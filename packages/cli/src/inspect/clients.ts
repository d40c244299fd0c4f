import { defaultClients } from 'toolfold';
import type { KnownClient } from 'toolfold';
import type { McpTool } from 'toolfold/model';
import { checkTools, lowerTools } from '@toolfold/profiles';
import type { LoweredTool, ProfileName } from '@toolfold/profiles';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import { eachInSteps, formOf, limitOf, reasonOf, withShownActions } from '@toolfold/analysis/internal';
import type { ClientView, OpenTarget } from '@toolfold/analysis/internal';
import { runSteps } from '../terminal/steps.js';
import { DEFAULT_PROFILE, toLine } from 'toolfold/internal';
import type { Terminal } from '../terminal/terminal.js';
import { count } from '../terminal/count.js';

/** The tools that one client gets, as `--json` prints them. */
export interface ClientReport {
  readonly client: KnownClient;
  readonly profile: ProfileName;
  /** Missing for a running server and a saved list, which have a single form. */
  readonly form?: string | undefined;
  readonly reason: string;
  readonly tools: number;
  readonly tokens: number;
  readonly isAccepted: boolean;
  /** Rules that lowering cannot satisfy, such as a limit on the number of tools. */
  readonly violations: readonly string[];
  /** Number of rewrites by rule. */
  readonly changes: Readonly<Record<string, number>>;
  /** Why the client gets no tools. */
  readonly problem?: string | undefined;
}

/** Lowers the tools of a target for a profile. The views of files are lowered already. */
export function lowerTarget(opened: OpenTarget, profile: ProfileName): OpenTarget {
  if (opened.kind === 'module') return { ...opened, tools: opened.tools.map(withShownActions) };
  const lowered = lowerTools(
    opened.tools.map(({ tool }) => tool),
    profile,
  );
  const tools = opened.tools.map((listed, at) =>
    withShownActions({ ...listed, tool: lowered[at]?.tool ?? listed.tool }),
  );
  return { ...opened, profile, tools };
}

export async function reportClients(
  opened: OpenTarget,
  options: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<readonly ClientReport[]> {
  const text = 'reporting clients';
  if (opened.clientViews)
    return runSteps(eachInSteps(await opened.clientViews(), reportView), { text, ...options });
  const tools = opened.tools.map(({ tool }) => tool);
  const reportListed = (client: KnownClient): ClientReport =>
    report(client, client.profile, lowerTools(tools, client.profile), {
      form: undefined,
      reason: limitOf(client, tools.length),
    });
  return runSteps(eachInSteps(defaultClients, reportListed), { text, ...options });
}

function reportView({ client, view, tried = [], problem }: ClientView): ClientReport {
  if (!view) {
    const empty = { tools: 0, tokens: 0, isAccepted: false, violations: [], changes: {}, reason: '' };
    return { client, profile: client.profile, ...empty, problem };
  }
  const { profile = DEFAULT_PROFILE } = view.policy;
  const listed = (view.authored ?? view).listTools('2025-11-25');
  const how = { form: formOf(view), reason: reasonOf(client, view, tried) };
  if (profile !== 'none') return report(client, profile, lowerTools(listed, profile), how);
  // Check unlowered tools directly against the rules of the client.
  const unchanged = listed.map((tool) => ({ tool, changes: [] }));
  return report(client, client.profile, unchanged, how);
}

function report(
  client: KnownClient,
  profile: ProfileName,
  lowered: readonly LoweredTool[],
  { form, reason }: { readonly form: string | undefined; readonly reason: string },
): ClientReport {
  const tools: readonly McpTool[] = lowered.map(({ tool }) => tool);
  const changes: Record<string, number> = {};
  for (const { rule } of lowered.flatMap((each) => each.changes)) changes[rule] = (changes[rule] ?? 0) + 1;
  // The view may have a fixed profile that differs from the client's.
  const counter = createTokenCounter();
  const broken = new Set(checkTools(tools, client.profile).map(({ rule }) => rule));
  const { maxTools = Number.POSITIVE_INFINITY } = client;
  if (tools.length > maxTools) broken.add(`at-most-${maxTools}-tools`);
  return {
    client,
    profile,
    form,
    reason,
    tools: tools.length,
    tokens: tools.reduce((sum, tool) => sum + countTool(tool, counter), 0),
    isAccepted: broken.size === 0,
    violations: [...broken],
    changes,
  };
}

export function writeClients(clients: readonly ClientReport[] | undefined): string {
  if (!clients) return '';
  const rows = clients.map((each) => [
    each.client.since === undefined ? each.client.name : `${each.client.name} from ${each.client.since}`,
    each.profile,
    each.form ?? '',
    count(each.tools, 'tool'),
    `~${each.tokens} tokens`,
    each.problem ?? (each.isAccepted ? 'accepted' : `breaks ${each.violations.join(', ')}`),
  ]);
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const lines = rows.flatMap((row, at) => {
    const { reason, changes } = clients[at] as ClientReport;
    const rewrites = Object.entries(changes).map(([rule, times]) => `${rule} ${times}`);
    const cells = row.map((cell, column) => toLine(cell).padEnd(widths[column] ?? 0)).join('  ');
    const details = [reason, ...(rewrites.length > 0 ? [`rewritten: ${rewrites.join(', ')}`] : [])];
    return [`  ${cells.trimEnd()}`, `      ${toLine(details.filter((each) => each !== '').join('; '))}`];
  });
  return ['Clients, in the order in which the table is searched', ...lines].join('\n');
}
