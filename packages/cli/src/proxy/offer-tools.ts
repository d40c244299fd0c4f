import type { ContextValues } from 'toolfold/web';
import type { ToolCall } from 'toolfold';
import type { ToolOverrides, UpstreamToolDefinition } from '@toolfold/gateway';
import { toLine, toWireName } from 'toolfold/internal';
import { applyOverrides, originalOf } from '@toolfold/gateway/internal';
import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { selectTools } from '../target/find-tool.js';
import type { ToolChoice } from '../target/find-tool.js';
import type { Form } from '@toolfold/analysis/internal';
import { foldTools } from './fold-tools.js';
import type { Notices } from './notices.js';
import { reviewTools } from './review-tools.js';
import type { ReviewRule } from './review-tools.js';

/** Determines which tools of a server the proxy offers. Uses the server's own tool names. */
export interface OfferPlan {
  readonly server: string;
  /** Name of the server where several are configured; `undefined` for a single server. */
  readonly label: string | undefined;
  readonly choice: ToolChoice;
  readonly overrides: ToolOverrides;
  readonly review: ReviewRule | undefined;
  readonly form: Form;
  /** Name of the tool that contains all others in the grouped form. */
  readonly groupName: string;
  readonly description: string | undefined;
  /** Checks the session of a caller before a call; `undefined` if the server needs none. */
  readonly assertSession?: ((session: ContextValues) => void) | undefined;
  /** Prefix of the tool names in the other forms. */
  readonly prefix: string | undefined;
}

export interface OfferedTools {
  /** Whether no tool is offered, because one differs from its reviewed version. */
  readonly isRejected: boolean;
  readonly items: readonly (UpstreamToolDefinition | ReturnType<typeof foldTools>)[];
  readonly tools: number;
  readonly quarantined: number;
}

/**
 * Decides which listed tools are offered, in four steps: 1. compare the server's definitions with the reviewed ones; 2. apply the
 * operator's choice; 3. apply overrides; 4. convert to the form.
 */
export function offerTools(
  listed: readonly UpstreamToolDefinition[],
  plan: OfferPlan,
  notices: Notices,
): OfferedTools {
  const { server, label, choice, overrides, review, form, groupName, description, prefix } = plan;
  const warn = (message: string): void => notices.once(message, { level: 'warn', server });
  const reviewed = review ? reviewTools(listed, review, label) : undefined;
  for (const notice of reviewed?.notices ?? []) warn(notice);
  const accepted = reviewed?.accepted ?? listed;
  warnOfUnknown(listed, choice, warn);
  const chosen = selectTools(accepted, { ...inPortableNames(choice, listed), readOnly: false });
  // An override of a tool that was not chosen is valid.
  const known = new Set(listed.map((tool) => originalOf(tool).name));
  const chosenNames = new Set(chosen.map((tool) => originalOf(tool).name));
  const applying = Object.entries(overrides).filter(([name]) => chosenNames.has(name) || !known.has(name));
  const changed = applyOverrides(chosen, Object.fromEntries(applying), {
    skip: (name, reason) => warn(`left out "${toLine(name)}": ${toLine(reason)}`),
    warn,
  });
  // Apply overrides first, because they can mark tools as read-only.
  const offered = selectTools(changed, { readOnly: choice.readOnly });
  return {
    items: inForm(plan.assertSession ? offered.map(checkSession(plan.assertSession)) : offered),
    tools: offered.length,
    quarantined: reviewed?.quarantined ?? 0,
    isRejected: reviewed?.isRejected ?? false,
  };

  function inForm(tools: readonly UpstreamToolDefinition[]): OfferedTools['items'] {
    if (tools.length === 0) return [];
    if (form === 'grouped') return [foldTools(groupName, tools, description)];
    return tools.map((tool) => ({ ...tool, name: nameOf(tool.name, prefix) }));
  }
}

/** Rejects a call without credentials with a clear message, instead of a failed connection. */
function checkSession(assertSession: (session: ContextValues) => void) {
  return (tool: UpstreamToolDefinition): UpstreamToolDefinition => ({
    ...tool,
    middleware: [
      ({ context }: ToolCall, next: () => Promise<unknown>) => {
        assertSession(context.session);
        return next();
      },
      ...(tool.middleware ?? []),
    ],
  });
}

/** Maps the server's tool names in the options to the portable names of the definitions. */
function inPortableNames(choice: ToolChoice, listed: readonly UpstreamToolDefinition[]): ToolChoice {
  const portable = new Map(listed.map((tool) => [originalOf(tool).name, tool.name]));
  const translate = (names: readonly string[] | undefined): readonly string[] | undefined =>
    names?.map((name) => portable.get(name) ?? name);
  return { ...choice, tools: translate(choice.tools), excludeTools: translate(choice.excludeTools) };
}

/** Warns about chosen tools that do not exist. Not an error, because the server may have removed them. */
function warnOfUnknown(
  listed: readonly UpstreamToolDefinition[],
  { tools = [], excludeTools = [] }: ToolChoice,
  warn: (message: string) => void,
): void {
  const names = listed.flatMap((tool) => [...new Set([originalOf(tool).name, tool.name])]);
  for (const name of [...tools, ...excludeTools])
    if (!names.includes(name))
      warn(
        `an option names the tool "${name}", which the server does not have.${didYouMean(nearestName(name, names))}`,
      );
}

export function nameOf(name: string, prefix: string | undefined): string {
  return prefix === undefined ? name : toWireName(prefix, name);
}
