import type {
  AnyToolDefinition,
  Handler,
  RequestContext,
  TaskRule,
  ToolDefinition,
} from '../define/tool-definition.js';
import { defaultStrategies, compileDefinition } from './compile-item.js';
import { ErrInvalidModel, ErrInvalidTool } from '@toolfold/schema/errors';
import type { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import type { GroupItem } from '../model/base.js';
import type { Group } from '../model/group.js';
import { ToolAnnotations } from '../model/tool.js';
import type { Tool } from '../model/tool.js';
import type { ToolExecution } from '@toolfold/profiles';
import type { JsonSchemaObject } from '@toolfold/schema';
import { assertOptions, assertPlain, callback } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { CompilableTool } from './compile-item.js';
import type { PromptDefinition } from '../define/prompts.js';
import type { ResourceDefinition } from '../define/resources.js';
import { defined } from '../values/defined.js';

/** The handler of a model `Tool`. Its arguments have no static type. */
export type ModelHandler<App> = Handler<Readonly<Record<string, unknown>>, App>;

/** The handler of a model `Prompt`. Arguments that the caller left out are absent. */
export type ModelPromptHandler<App> = (request: {
  readonly input: Readonly<Record<string, string | undefined>>;
  readonly context: RequestContext<App>;
}) => unknown;

/** Options of a definition that the model `Tool` lacks. */
export type ModelToolOptions<App = unknown> = Pick<
  ToolDefinition<JsonSchemaObject, App>,
  | 'search'
  | 'scopes'
  | 'middleware'
  | 'security'
  | 'schemaValidator'
  | 'confirm'
  | 'defaultArgumentResolver'
  | 'timeoutMs'
  | 'task'
  | 'cost'
  | 'cached'
  | 'invalidates'
  | 'idempotency'
  | 'retry'
  | 'outputBudget'
  | 'textFormat'
  | 'structuredText'
  | 'unknownOutput'
>;

/** Finds the handlers of the items of a model `Group` and of the groups in it. */
export interface GroupHandlers<App = unknown> {
  /** Called once for each tool, when the group is registered. */
  readonly tool?: (tool: Tool) => ModelHandler<App>;
  /** Called once for each prompt, when the group is registered. */
  readonly prompt?: (prompt: Prompt) => ModelPromptHandler<App>;
  /** Called once for each resource and resource template, when the group is registered. */
  readonly resource?: (resource: Resource | ResourceTemplate) => ResourceDefinition<App>['handler'];
}

const groupRules: Rules<keyof GroupHandlers> = { tool: callback, prompt: callback, resource: callback };

/** Throws unless the second argument of `register` can have the handlers of a group. */
export function assertHandlers(group: Group, handlers: unknown): void {
  assertOptions(`The handlers of group "${group.name}"`, handlers, groupRules);
}

/**
 * Collects the items of a group and of the groups in it. Each item has a list of its paths, because several groups may hold
 * it.
 */
export function itemsIn(
  group: Group,
  above: readonly Group[] = [],
  found = new Map<GroupItem, (readonly Group[])[]>(),
): Map<GroupItem, (readonly Group[])[]> {
  const path = [...above, group];
  const { childTools, childPrompts, childResources, childResourceTemplates } = group;
  for (const item of [...childTools, ...childPrompts, ...childResources, ...childResourceTemplates])
    found.set(item, [...(found.get(item) ?? []), path]);
  for (const child of group.childGroups) itemsIn(child, path, found);
  return found;
}

/** Makes a model `Tool` and its handler registrable. Later changes to the model have no effect. */
export function fromTool(
  tool: Tool,
  handler: unknown,
  options: unknown = {},
  paths?: readonly (readonly Group[])[],
): CompilableTool {
  tool.validate();
  if (typeof handler !== 'function')
    throw new ErrInvalidTool(`Tool "${tool.name}" has no handler.`, {
      hint: 'Write registry.register(tool, ({ input, context }) => …).',
    });
  const annotations = Object.freeze(new ToolAnnotations(tool.annotations));
  const fromModel = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    readOnly: annotations.readOnlyHint,
    destructive: annotations.destructiveHint,
    idempotent: annotations.idempotentHint,
    openWorld: annotations.openWorldHint,
    tags: tool.tags,
    icons: tool.icons,
    meta: tool.meta,
    namespace: tool.namespace,
    version: tool.version,
    handler: handler as AnyToolDefinition['handler'],
  };
  assertPlain(`Tool "${tool.name}": the options`, options, { error: ErrInvalidTool });
  const repeated = Object.keys(options).find((key) => Object.hasOwn(fromModel, key));
  if (repeated !== undefined)
    throw new ErrInvalidTool(
      `Tool "${tool.name}": "${repeated}" is not an option, because the model has it.`,
      {
        hint: 'Set it on the Tool.',
      },
    );
  const task = (options as ModelToolOptions).task ?? taskOf(tool.execution);
  const definition = { ...options, ...fromModel, task } as AnyToolDefinition;
  // List the hints of the model unchanged, without derived ones.
  const strategies = Object.freeze({
    ...defaultStrategies,
    annotations: () => new ToolAnnotations(annotations),
  });
  return {
    name: tool.name,
    namespace: tool.namespace,
    compile: (validator) => compileDefinition(definition, { validator, strategies, paths }),
  };
}

function taskOf(execution: ToolExecution | undefined): true | TaskRule | undefined {
  if (execution?.taskSupport === 'required') return { required: true };
  return execution?.taskSupport === 'optional' ? true : undefined;
}

/** Turns a model `Prompt` into a definition. All its arguments are text. */
export function fromPrompt(prompt: Prompt, handler: unknown): PromptDefinition {
  const given = prompt.promptArguments ?? [];
  const fields = given.map(({ name, title, description }) => [
    name,
    defined({ type: 'string', title, description }),
  ]);
  const required = given.filter((argument) => argument.required === true).map(({ name }) => name);
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(fields) as JsonSchemaObject,
    required,
    additionalProperties: false,
  };
  return { ...shared(prompt, handler), inputSchema } as PromptDefinition;
}

export function fromResource(item: Resource | ResourceTemplate, handler: unknown): ResourceDefinition {
  const { mimeType, annotations } = item;
  const place =
    item.kind === 'resource' ? { uri: item.uri, size: item.size } : { uriTemplate: item.uriTemplate };
  return { ...shared(item, handler), ...place, mimeType, annotations } as ResourceDefinition;
}

function shared(
  { kind, name, title, description, icons, meta }: Prompt | Resource | ResourceTemplate,
  handler: unknown,
) {
  if (typeof handler !== 'function')
    throw new ErrInvalidModel(`The ${kind} "${name}" has no handler.`, {
      hint: 'Pass the handler as the second argument.',
    });
  return { name, title, description, icons, meta, handler: handler as (request: unknown) => unknown };
}
