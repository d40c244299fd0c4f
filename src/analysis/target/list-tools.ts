import type { View } from '../../index.js';
import type { McpTool, McpToolAnnotations } from '../../model.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import { formerNamesOf } from '../../compile/tool-forms.js';
import type { InternalAction } from '../../define/read-definition.js';
import { roomOf } from '../../guards/budget/output-budget.js';
import type { OutputBudget } from '../../guards/budget/output-budget.js';
import { readActions } from '../../client/read-actions.js';
import { isJsonObject } from '../../values/json-value.js';
import { eachInSteps, runAtOnce } from '../steps.js';
import type { ListedHints, ListedTool, TaskSupport } from './opened-target.js';

export { estimateTokens, tokenMethod } from '../../testing/estimate-tokens.js';

/** Lists the tools of a loaded registry, with all details. `outputBudget` is that of the registry. */
export function listView(view: View, outputBudget?: OutputBudget): ListedTool[] {
  return runAtOnce(listViewInSteps(view, outputBudget));
}

/** Does the same in steps, one for each tool. */
export function* listViewInSteps(view: View, outputBudget?: OutputBudget): Generator<number, ListedTool[]> {
  // A view of another copy of Toolfold may not have it.
  for (const _ of view.prepareList?.() ?? []) yield 0;
  return yield* eachInSteps(view.listTools(), (tool) => {
    const compiled = view.tools.get(tool.name);
    const { discriminator, actions } = compiled ?? { discriminator: undefined, actions: undefined };
    const whole = actions?.get('');
    const only = whole?.action;
    return {
      tool,
      authored: whole?.schema.jsonSchema,
      taskSupport: taskSupportOf(only),
      aliases: formerNames(compiled),
      ...identityOf(compiled?.tool),
      hints: hintsOf(tool.annotations),
      scopes: only?.scopes ?? [],
      isFilled: only?.resolveDefaults !== undefined,
      idempotencyField: only?.idempotency?.field,
      ...(only ? outputOf(only, outputBudget) : {}),
      search: only?.search,
      address: whole?.address,
      discriminator,
      actions:
        discriminator === undefined
          ? []
          : [...(actions?.values() ?? [])].map(({ action, address, schema }) => ({
              key: action.key,
              address,
              group:
                action.groupName === undefined
                  ? undefined
                  : { name: action.groupName, description: action.groupDescription },
              description: action.description,
              hints: {
                readOnly: action.readOnly,
                destructive: action.destructive,
                idempotent: action.idempotent,
                openWorld: action.openWorld,
              },
              scopes: action.scopes,
              inputSchema: schema.jsonSchema,
              outputSchema: action.output?.jsonSchema,
              taskSupport: taskSupportOf(action),
              aliases: action.aliases,
              isFilled: action.resolveDefaults !== undefined,
              idempotencyField: action.idempotency?.field,
              ...outputOf(action, outputBudget),
              search: action.search,
            })),
    };
  });
}

/** The former names of a tool in the form of its view: those of an action are names of a flat tool. */
function formerNames(compiled: CompiledTool | undefined): readonly string[] | undefined {
  const [first] = compiled?.actions.values() ?? [];
  return compiled && first ? formerNamesOf(compiled, first.spec) : undefined;
}

function taskSupportOf(
  action: { readonly task?: { readonly required?: boolean | undefined } | undefined } | undefined,
): TaskSupport | undefined {
  if (!action?.task) return undefined;
  return action.task.required === true ? 'required' : 'optional';
}

/** The room for results, and their format. */
function outputOf(
  { outputBudget, textFormat }: Pick<InternalAction, 'outputBudget' | 'textFormat'>,
  fallback: OutputBudget | undefined,
): Pick<ListedTool, 'outputRoom' | 'isToon'> {
  const budget = outputBudget ?? fallback;
  return budget ? { outputRoom: roomOf(budget), isToon: textFormat === 'toon' } : {};
}

/** Describes a tool that a running server lists. The actions of a Toolfold server are read from the enum that names them. */
export function listWireTool(tool: McpTool): ListedTool {
  const { discriminator, actions } = readActions(tool);
  return {
    tool,
    taskSupport: tool.execution?.taskSupport,
    ...identityOf(readIdentity(tool)),
    hints: hintsOf(tool.annotations),
    scopes: [],
    isFilled: false,
    discriminator,
    actions: actions.map(({ key, inputSchema }) => ({
      key,
      address: `${tool.name}/${key}`,
      group: key.includes('.') ? { name: key.slice(0, key.lastIndexOf('.')) } : undefined,
      scopes: [],
      inputSchema,
      isFilled: false,
    })),
  };
}

/** Fields of a tool that MCP does not define. */
interface Identity {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
}

function identityOf(
  { name, namespace, version }: Identity = { name: '' },
): Pick<ListedTool, 'id' | 'version'> {
  return {
    ...(namespace === undefined ? {} : { id: `${namespace}:${name}` }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Reads the identity that a server with `listIdentity` sends. It lacks the tool's name within its namespace. */
function readIdentity({ _meta }: McpTool): Identity | undefined {
  const identity = _meta?.['toolfold/identity'];
  const version = isJsonObject(identity) ? identity['version'] : undefined;
  return typeof version === 'string' ? { name: '', version } : undefined;
}

function hintsOf(annotations: McpToolAnnotations = {}): ListedHints {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    readOnly: readOnlyHint,
    destructive: destructiveHint,
    idempotent: idempotentHint,
    openWorld: openWorldHint,
  };
}
