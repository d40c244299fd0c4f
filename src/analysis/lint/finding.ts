import type { JsonSchemaObject } from '../../index.js';
import type { ListedHints, ListedTool } from '../target/opened-target.js';

/** `error`: a client rejects the tools, or a model is misled. `warning`: models choose or fill in worse. `note`: cost and style. */
export type Severity = 'error' | 'warning' | 'note';

export const severities = ['error', 'warning', 'note'] as const;

/** The place of a finding. An empty tool name means the whole list. */
export interface Place {
  readonly tool: string;
  /** The key of an action of a grouped tool. */
  readonly action?: string | undefined;
  /** JSON pointer into the tool, or into the definition of the action. */
  readonly pointer: string;
}

/** A fault that a rule found. */
export interface Fault extends Place {
  readonly reason: string;
  /** The fix for this place, if it differs from that of the rule. */
  readonly fix?: string | undefined;
  /** The severity of this fault, if it differs from that of the rule. */
  readonly severity?: Severity | undefined;
  /** Further places with the same fault. */
  readonly others?: readonly Place[] | undefined;
}

export interface RuleSource {
  /** A link, or the name of a report. */
  readonly source: string;
  /** When the source was published or last checked, such as `2026-07`. */
  readonly date: string;
}

/** A rule of the linter. */
export interface LintRule extends RuleSource {
  readonly id: string;
  readonly severity: Severity;
  /** The fault in one sentence, for the reference. */
  readonly summary: string;
  readonly fix: string;
  /** Whether `--fix` can repair a saved list. */
  readonly isFixable?: boolean;
  readonly check: (surface: Surface) => Iterable<Fault>;
}

export interface Finding extends Fault, RuleSource {
  readonly rule: string;
  readonly severity: Severity;
  readonly fix: string;
  readonly isFixable: boolean;
  /** The clients that reject the place, for a rule of a profile. */
  readonly clients?: readonly string[] | undefined;
}

/** A tool, or an action of a grouped tool whose definition is known. */
export interface Item extends Place {
  /** The name of the tool, or the key of the action. */
  readonly name: string;
  /** The tool and group of an action; empty for a tool. Names and descriptions are compared within it. */
  readonly family: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly hints: ListedHints;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject | undefined;
  /** Characters of a result that fit into its output budget. */
  readonly outputRoom?: number | undefined;
  readonly isToon?: boolean | undefined;
}

/** The tools that the rules look at. */
export interface Surface {
  /** The name of the server, if it is known. */
  readonly server?: string | undefined;
  readonly tools: readonly ListedTool[];
  /** Every tool without known actions, and every action of the others. */
  readonly items: readonly Item[];
  /** The tools that the search finds, if the server has the search form. */
  readonly searched?: readonly SearchedTool[] | undefined;
}

/** A tool behind the search. */
export interface SearchedTool {
  readonly address: string;
  readonly keywords?: readonly string[] | undefined;
}

/** Splits grouped tools into their actions if the list has the definitions of the actions. */
export function createSurface(
  tools: readonly ListedTool[],
  server: string | undefined,
  searched?: readonly SearchedTool[],
): Surface {
  return { server, tools, items: tools.flatMap(itemsOf), searched };
}

/** Whether the actions of a grouped tool are known from its definition, and not only from the listed enum. */
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
  }));
}

/** Names the place of an item. */
export function at({ tool, action }: Pick<Place, 'tool' | 'action'>, pointer = ''): Place {
  return action === undefined ? { tool, pointer } : { tool, action, pointer };
}

/** The place of a fault of the whole list. */
export const wholeList: Place = { tool: '', pointer: '' };

/** The address of a tool or action, for messages. */
export function addressOf({ tool, action }: Pick<Place, 'tool' | 'action'>): string {
  return action === undefined ? tool : `${tool}/${action}`;
}
