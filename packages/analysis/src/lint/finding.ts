import type { JsonSchemaObject } from 'toolfold';
import type { SlowPart } from '../target/slow-parts.js';
import type { ListedHints, ListedTool } from '../target/opened-target.js';

/** `error`: a client rejects the tools, or a model is misled. `warning`: models choose or fill in worse. `note`: cost and style. */
export type Severity = 'error' | 'warning' | 'note';

export const severities = ['error', 'warning', 'note'] as const;

/** Location of a finding. An empty tool name means the whole list. */
export interface Place {
  /** Name of the tool as listed. */
  readonly tool: string;
  /** Key of the action, if the finding is about one. */
  readonly action?: string | undefined;
  /** JSON pointer into the tool, or into the definition of the action. */
  readonly pointer: string;
}

/** A violation that a rule found. */
export interface Fault extends Place {
  /** What is wrong, in one sentence. */
  readonly reason: string;
  /** Overrides the fix of the rule. */
  readonly fix?: string | undefined;
  /** Overrides the severity of the rule. */
  readonly severity?: Severity | undefined;
  /** Further places with the same fault. */
  readonly others?: readonly Place[] | undefined;
}

/** The report or documentation that a rule is based on. */
export interface RuleSource {
  /** A link, or the title of a report. */
  readonly source: string;
  /** Date of publication or of the last check, such as `2026-07`. */
  readonly date: string;
}

/** A check with its severity, fix and source. */
export interface LintRule extends RuleSource {
  readonly id: string;
  readonly severity: Severity;
  /** The fault in one sentence, for the reference documentation. */
  readonly summary: string;
  readonly fix: string;
  /** Whether `--fix` can repair a saved list. */
  readonly isFixable?: boolean;
  readonly check: (surface: Surface) => Iterable<Fault>;
}

/** A fault of a listed tool, with the rule that found it. */
export interface Finding extends Fault, RuleSource {
  /** Id of the rule. `docs/reference/lint.md` lists all rules. */
  readonly rule: string;
  readonly severity: Severity;
  readonly fix: string;
  /** Whether `toolfold lint --fix` repairs it in a saved list. */
  readonly isFixable: boolean;
  /** The clients that reject the tool. Only for rules of profiles. */
  readonly clients?: readonly string[] | undefined;
}

/** The unit that rules check: a tool, or an action of a grouped tool whose definition is known. */
export interface Item extends Place {
  /** The name of the tool, or the key of the action. */
  readonly name: string;
  /** Tool and group of an action; empty for a tool. Rules compare names and descriptions within a family. */
  readonly family: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly hints: ListedHints;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject | undefined;
  /** Characters of a result that fit into the output budget. */
  readonly outputRoom?: number | undefined;
  readonly isToon?: boolean | undefined;
  readonly slowParts?: readonly SlowPart[] | undefined;
}

export interface Surface {
  /** The name of the server, if it is known. */
  readonly server?: string | undefined;
  readonly tools: readonly ListedTool[];
  /** Grouped tools with known actions are represented by their actions, all other tools by themselves. */
  readonly items: readonly Item[];
  /** The tools that the search finds, if the server uses the search or the code form. */
  readonly searched?: readonly SearchedTool[] | undefined;
}

export interface SearchedTool {
  readonly address: string;
  readonly keywords?: readonly string[] | undefined;
  /** Whether code calls the tool without knowing its result. */
  readonly isUndeclared?: boolean;
}

/** Creates the surface, and splits grouped tools into their actions where the definitions are known. */
export function createSurface(
  tools: readonly ListedTool[],
  server: string | undefined,
  searched?: readonly SearchedTool[],
): Surface {
  return { server, tools, items: tools.flatMap(itemsOf), searched };
}

/** Whether the list has the definitions of the actions, and not only the enum of their names. */
export function hasDefinitions({ discriminator, actions }: ListedTool): boolean {
  return (
    discriminator !== undefined && actions.length > 0 && actions.every(({ hints }) => hints !== undefined)
  );
}

function itemsOf(listed: ListedTool): Item[] {
  const { tool, hints, actions } = listed;
  if (!hasDefinitions(listed))
    return [
      {
        tool: tool.name,
        pointer: '',
        name: tool.name,
        family: '',
        title: tool.title,
        description: tool.description,
        hints,
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema,
        outputRoom: listed.outputRoom,
        isToon: listed.isToon,
        slowParts: listed.slowParts,
      },
    ];
  return actions.map((action) => ({
    tool: tool.name,
    action: action.key,
    pointer: '',
    name: action.key,
    family: `${tool.name}/${action.group?.name ?? ''}`,
    description: action.description,
    hints: action.hints ?? {},
    inputSchema: action.inputSchema,
    outputSchema: action.outputSchema,
    outputRoom: action.outputRoom,
    isToon: action.isToon,
    slowParts: action.slowParts,
  }));
}

export function at({ tool, action }: Pick<Place, 'tool' | 'action'>, pointer = ''): Place {
  return action === undefined ? { tool, pointer } : { tool, action, pointer };
}

export const wholeList: Place = { tool: '', pointer: '' };

export function addressOf({ tool, action }: Pick<Place, 'tool' | 'action'>): string {
  return action === undefined ? tool : `${tool}/${action}`;
}
