import { defaultClients } from '../../index.js';
import type { KnownClient } from '../../index.js';
import type { McpTool } from '../../model.js';
import { checkTools, lowerTools } from '../../profiles.js';
import type { LoweredTool, ProfileName } from '../../profiles.js';
import { formOf, limitOf, reasonOf } from '../../analysis/target/client-reason.js';
import { estimateTokens } from '../../analysis/target/list-tools.js';
import type { ClientView, OpenTarget } from '../../analysis/target/opened-target.js';
import { withShownActions } from '../../analysis/target/shown-actions.js';
import { eachInSteps } from '../../analysis/steps.js';
import { runSteps } from '../terminal/steps.js';
import { toLine } from '../../values/to-line.js';
import type { Terminal } from '../terminal/terminal.js';

/** The tools that one client gets, as `--json` prints it. */
export interface ClientReport {
  /** The row of the table of clients. */
  readonly client: KnownClient;
  readonly profile: ProfileName;
  /** Missing for a running server and a saved list, which have one form. */
  readonly form?: string | undefined;
  /** Why the client gets this form. */
  readonly reason: string;
  readonly tools: number;
  readonly tokens: number;
  /** Whether the client accepts all of the tools. */
  readonly isAccepted: boolean;
  /** Rules that the tools still break, such as the limit of their number. */
  readonly violations: readonly string[];
  /** Number of rewrites by the rule that requires them. */
  readonly changes: Readonly<Record<string, number>>;
  /** Why the client gets no tools. */
  readonly problem?: string | undefined;
}

/** The opened tools in the form that a profile accepts. The views of files are lowered already. */
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

/** Reports what each known client would get. */
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
  const { profile = 'portable' } = view.policy;
  const listed = (view.authored ?? view).listTools('2025-11-25');
  const how = { form: formOf(view, tried), reason: reasonOf(client, view, tried) };
  if (profile !== 'none') return report(client, profile, lowerTools(listed, profile), how);
  // Tools that no profile rewrites are judged by the rules of the client.
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
  // A view may have a fixed profile, which is not the one of the client.
  const broken = new Set(checkTools(tools, client.profile).map(({ rule }) => rule));
  const { maxTools = Number.POSITIVE_INFINITY } = client;
  if (tools.length > maxTools) broken.add(`at-most-${maxTools}-tools`);
  return {
    client,
    profile,
    form,
    reason,
    tools: tools.length,
    tokens: tools.reduce((sum, tool) => sum + estimateTokens(tool), 0),
    isAccepted: broken.size === 0,
    violations: [...broken],
    changes,
  };
}

/** Formats the table of clients. */
export function writeClients(clients: readonly ClientReport[] | undefined): string {
  if (!clients) return '';
  const rows = clients.map((each) => [
    each.client.since === undefined ? each.client.name : `${each.client.name} from ${each.client.since}`,
    each.profile,
    each.form ?? '',
    `${each.tools} ${each.tools === 1 ? 'tool' : 'tools'}`,
    `~${each.tokens} tokens`,
    each.problem ?? (each.isAccepted ? 'accepted' : `breaks ${each.violations.join(', ')}`),
  ]);
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const lines = rows.flatMap((row, at) => {
    const { reason, changes } = clients[at] as ClientReport;
    const rewrites = Object.entries(changes).map(([rule, count]) => `${rule} ${count}`);
    const cells = row.map((cell, column) => toLine(cell).padEnd(widths[column] ?? 0)).join('  ');
    const details = [reason, ...(rewrites.length > 0 ? [`rewritten: ${rewrites.join(', ')}`] : [])];
    return [`  ${cells.trimEnd()}`, `      ${toLine(details.filter((each) => each !== '').join('; '))}`];
  });
  return ['Clients, in the order in which the table is searched', ...lines].join('\n');
}
