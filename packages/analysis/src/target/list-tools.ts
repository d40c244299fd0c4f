import type { OutputBudget, View } from 'toolfold';
import type { McpTool, McpToolAnnotations } from 'toolfold/model';
import type { CompiledTool, InternalAction } from 'toolfold/internal';
import { formerNamesOf, roomOf } from 'toolfold/internal';
import { readActions } from '@toolfold/testing/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import { slowPartsOf } from './slow-parts.js';
import { runAtOnce } from '@toolfold/search/internal';
import { eachInSteps } from '../steps.js';
import type { ListedHints, ListedTool } from './opened-target.js';

/** Lists the tools of a loaded registry with all details. `outputBudget` is the budget of the registry. */
export function listView(view: View, outputBudget?: OutputBudget): ListedTool[] {
  return runAtOnce(listViewInSteps(view, outputBudget));
}

export function* listViewInSteps(view: View, outputBudget?: OutputBudget): Generator<number, ListedTool[]> {
  // A view made by another copy of Toolfold may lack this method.
  for (const _ of view.prepareList?.() ?? []) yield 0;
  return yield* eachInSteps(view.listTools(), (tool) => {
    const compiled = view.tools.get(tool.name);
    const { discriminator, actions } = compiled ?? { discriminator: undefined, actions: undefined };
    const whole = actions?.get('');
    const only = whole?.action;
    return {
      tool,
      authored: whole?.schema.jsonSchema,
      aliases: formerNames(compiled),
      ...identityOf(compiled?.tool),
      hints: hintsOf(tool.annotations),
      ...(only ? factsOf(only, outputBudget) : { scopes: [], isFilled: false }),
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
              inputSchema: schema.jsonSchema,
              outputSchema: action.output?.jsonSchema,
              aliases: action.aliases,
              ...factsOf(action, outputBudget),
            })),
    };
  });
}

/** Returns the former names of a tool in the form of its view: aliases of an action are names of a flat tool. */
function formerNames(compiled: CompiledTool | undefined): readonly string[] | undefined {
  const [first] = compiled?.actions.values() ?? [];
  return compiled && first ? formerNamesOf(compiled, first.spec) : undefined;
}

/** Returns what a tool of one action and an action of a grouped tool have in common. */
function factsOf(action: InternalAction, fallback: OutputBudget | undefined) {
  const { outputBudget, textFormat, input, output, task, scopes, search } = action;
  const budget = outputBudget ?? fallback;
  const inInput = slowPartsOf(input.source, '/inputSchema');
  const inOutput = slowPartsOf(output?.source, '/outputSchema');
  return {
    taskSupport: task && (task.required === true ? ('required' as const) : ('optional' as const)),
    scopes,
    isFilled: action.resolveDefaults !== undefined,
    idempotencyField: action.idempotency?.field,
    search,
    ...(budget ? { outputRoom: roomOf(budget), isToon: textFormat === 'toon' } : {}),
    slowParts: inInput || inOutput ? [...(inInput ?? []), ...(inOutput ?? [])] : undefined,
  };
}

/** Describes a tool of a running server. For a Toolfold server, reads the actions from the enum that names them. */
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

/** Fields that Toolfold adds to the tools of MCP. */
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
