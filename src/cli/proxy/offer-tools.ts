import type { ContextValues } from '../../callers/session-context.js';
import type { ToolCall } from '../../define/tool-definition.js';
import type { UpstreamToolDefinition } from '../../node.js';
import { toWireName } from '../../protocol/wire-name.js';
import { originalOf } from '../../upstream/original-tool.js';
import { applyOverrides } from '../../upstream/overrides/apply-overrides.js';
import type { ToolOverrides } from '../../upstream/overrides/tool-override.js';
import { didYouMean, nearestName } from '../../values/nearest-name.js';
import { selectTools } from '../target/find-tool.js';
import type { ToolChoice } from '../target/find-tool.js';
import type { Form } from '../../analysis/target/opened-target.js';
import { toLine } from '../../values/to-line.js';
import { foldTools } from './fold-tools.js';
import type { Notices } from './notices.js';
import { reviewTools } from './review-tools.js';
import type { ReviewRule } from './review-tools.js';

/** The choice of tools that a proxy offers of one server. Tools are named as on the server. */
export interface OfferPlan {
  readonly server: string;
  /** The name of the server in lockfiles and options that hold several servers; `undefined` for a single server. */
  readonly label: string | undefined;
  readonly choice: ToolChoice;
  readonly overrides: ToolOverrides;
  readonly review: ReviewRule | undefined;
  readonly form: Form;
  /** The name of the tool that holds all others in the grouped form. */
  readonly groupName: string;
  readonly description: string | undefined;
  /** Checks the session of a caller before its call; `undefined` if the server needs none. */
  readonly assertSession?: ((session: ContextValues) => void) | undefined;
  /** The prefix of the names in the other forms. */
  readonly prefix: string | undefined;
}

export interface OfferedTools {
  /** Whether nothing of the server is offered, because a tool differs from the reviewed one. */
  readonly isRejected: boolean;
  readonly items: readonly (UpstreamToolDefinition | ReturnType<typeof foldTools>)[];
  readonly tools: number;
  readonly quarantined: number;
}

/**
 * Decides what is offered of the tools that a server lists: 1. review, which compares the tools as the server defines them;
 * 2. the choice of the operator; 3. overrides; 4. the form.
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
  // An override of a tool that was not chosen is no mistake.
  const known = new Set(listed.map((tool) => originalOf(tool).name));
  const chosenNames = new Set(chosen.map((tool) => originalOf(tool).name));
  const applying = Object.entries(overrides).filter(([name]) => chosenNames.has(name) || !known.has(name));
  const changed = applyOverrides(chosen, Object.fromEntries(applying), {
    skip: (name, reason) => warn(`left out "${toLine(name)}": ${toLine(reason)}`),
    warn,
  });
  // Overrides come first, because they can mark tools as read-only.
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

/** Rejects a call without credentials with a message that says so, and not because the server cannot be reached. */
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

/** Options name tools as the server does, but definitions have names that every client accepts. */
function inPortableNames(choice: ToolChoice, listed: readonly UpstreamToolDefinition[]): ToolChoice {
  const portable = new Map(listed.map((tool) => [originalOf(tool).name, tool.name]));
  const translate = (names: readonly string[] | undefined): readonly string[] | undefined =>
    names?.map((name) => portable.get(name) ?? name);
  return { ...choice, tools: translate(choice.tools), excludeTools: translate(choice.excludeTools) };
}

/** Warns of chosen tools that do not exist. The server may have had them before, so this is no error. */
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
