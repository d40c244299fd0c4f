import type { Tool } from '@modelcontextprotocol/client';
import { digest, isContentBlock, isResult, messageOf, readDefinition, toWireName } from 'toolfold/internal';
import type { CallToolResult, ToolContext, ToolDefinition } from 'toolfold';
import type { UpstreamToolDefinition } from './upstream-types.js';
import { hashName } from '@toolfold/profiles/internal';
import { ErrInvalidOptions, ErrInvalidTool } from 'toolfold/errors';
import type { Icon } from '@toolfold/profiles';
import { canonicalJson, isJsonObject, patternProblem } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { isTaskTool } from './connection.js';
import type { UpstreamFeatures } from './connection.js';
import { isTooDeep } from './items/listed-item.js';
import { SkippedItems } from './items/skipped-items.js';
import type { Skip } from './items/skipped-items.js';
import { withOriginal } from './original-tool.js';
import { applyOverrides } from './overrides/apply-overrides.js';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from './options.js';
import type { UpstreamSettings } from './options.js';

/** Limits the nesting of a tool definition. Schemas have their own, lower limit. */
const MAX_TOOL_DEPTH = 200;
const MAX_RESULT_DEPTH = 500;
/** Clients poll this often, because most calls of a 2026 server are over soon. */
const MODERN_POLL_MS = 250;

export type ForwardCall = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<unknown>;

/** Converts listed tools into definitions. Tools that cannot be offered go to `onSkipped`; without it, they are an error. */
export function toDefinitions(
  listed: readonly unknown[],
  settings: UpstreamSettings,
  features: UpstreamFeatures,
  forward: ForwardCall,
): UpstreamToolDefinition[] {
  const skipped = new SkippedItems(settings);
  const { skip } = skipped;
  const tools = distinct(listed, skip);
  const names = nameTools([...tools.keys()], settings.prefix);
  const definitions = [...tools.values()].flatMap((tool) => {
    try {
      const definition = toDefinition(tool, names.get(tool.name) as string, settings, features, forward);
      readDefinition(definition);
      return [definition];
    } catch (error) {
      // An invalid definition must not affect the other tools.
      skip(tool.name, messageOf(error) || 'its definition cannot be read');
      return [];
    }
  });
  const { overrides, prefix, onError } = settings;
  const offered = overrides
    ? applyOverrides(definitions, overrides, {
        prefix,
        skip,
        warn: (message) => onError(new ErrInvalidOptions(message)),
      })
    : definitions;
  skipped.assertNone('tools');
  return offered;
}

/** Fingerprints a list. A tool that is nested too deep is not offered, so only its name counts. */
export function fingerprintTools(listed: readonly unknown[]): string {
  const comparable = listed.map((tool) => {
    if (!isTooDeep(tool, MAX_TOOL_DEPTH)) return tool;
    const { name } = isJsonObject(tool) ? tool : {};
    return typeof name === 'string' ? name : null;
  });
  return digest(canonicalJson(comparable));
}

function distinct(listed: readonly unknown[], skip: Skip): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const tool of listed) {
    const { name, inputSchema, description, title } = isJsonObject(tool) ? tool : {};
    const label = typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : '(no name)';
    const texts = [description, title].filter((text) => text !== undefined);
    if (label === '(no name)' || (name as string).length > MAX_NAME_LENGTH)
      skip(label, `it has no name of at most ${MAX_NAME_LENGTH} characters`);
    else if (isTooDeep(tool, MAX_TOOL_DEPTH))
      skip(label, `its definition is nested more than ${MAX_TOOL_DEPTH} levels deep`);
    else if (tools.has(label)) skip(label, 'it is listed twice');
    else if (!isJsonObject(inputSchema)) skip(label, 'it has no input schema');
    else if (!texts.every((text) => typeof text === 'string'))
      skip(label, 'its title or description is not text');
    else if (texts.some((text) => (text as string).length > MAX_DESCRIPTION_LENGTH))
      skip(label, `its title or description has more than ${MAX_DESCRIPTION_LENGTH} characters`);
    else tools.set(label, tool as unknown as Tool);
  }
  return tools;
}

/**
 * Gives each tool a name that every client accepts. A name that is not portable becomes the nearest one that is, with a hash of the
 * original as suffix if two tools would collide. The result does not depend on the order of the list.
 */
function nameTools(names: readonly string[], prefix: string | undefined): Map<string, string> {
  const portable = (name: string): string => toWireName(...(prefix === undefined ? [] : [prefix]), name);
  const isKept = (name: string): boolean => portable(name).endsWith(name);
  const uses = new Map<string, number>();
  for (const name of names) uses.set(portable(name), (uses.get(portable(name)) ?? 0) + 1);
  return new Map(
    names.map((name) => {
      const wanted = portable(name);
      if (isKept(name) || uses.get(wanted) === 1) return [name, wanted];
      const ending = `_${hashName(name)}`;
      return [name, wanted.slice(0, 64 - ending.length) + ending];
    }),
  );
}

function toDefinition(
  tool: Tool,
  name: string,
  settings: UpstreamSettings,
  features: UpstreamFeatures,
  forward: ForwardCall,
): UpstreamToolDefinition {
  const { title, description, outputSchema, icons, _meta } = tool as Readonly<Record<string, unknown>>;
  const schema = tool.inputSchema as JsonSchemaObject;
  const definition: ToolDefinition<JsonSchemaObject> & UpstreamToolDefinition = {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    description: describeTool(description, title, tool.name, settings.name),
    inputSchema: acceptMore(schema),
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(Array.isArray(icons) ? { icons: icons as Icon[] } : {}),
    ...(isJsonObject(_meta) ? { meta: _meta } : {}),
    ...taskRuleOf(tool, features),
    // Clients see the original schema. `acceptMore` only makes its default for unknown fields explicit.
    metadata: { inputJsonSchema: schema, allowNarrower: true, annotations: annotationsOf(tool) },
    handler: async ({ input, context }) =>
      toResult(
        await forward(tool, input as Readonly<Record<string, unknown>>, context),
        settings.name,
        outputSchema !== undefined,
      ),
  };
  if (outputSchema !== undefined && !isJsonObject(outputSchema))
    throw new ErrInvalidTool('its output schema is not an object');
  // The server chooses the pattern and the caller the text. Together they could block the process.
  const problem = patternProblem([schema, outputSchema]);
  if (problem !== undefined) throw new ErrInvalidTool(problem);
  return withOriginal(definition, tool);
}

/**
 * Whether the tool can run as a task. A 2025 server declares it for each tool. A 2026 server decides during each call, so clients poll more
 * often, because most calls are over soon.
 */
function taskRuleOf(tool: Tool, { tasks, isModern }: UpstreamFeatures): Pick<ToolDefinition, 'task'> {
  if (!tasks) return {};
  if (isModern) return { task: { pollIntervalMs: MODERN_POLL_MS } };
  return isTaskTool(tool) ? { task: true } : {};
}

/** Falls back to the title or the name, because a model chooses tools by their description. */
function describeTool(description: unknown, title: unknown, name: string, server: string): string {
  const text = [description, title].find((each) => typeof each === 'string' && each.trim() !== '');
  return (text as string | undefined) ?? `The tool "${name}" of the server "${server}".`;
}

/** Allows unknown fields explicitly. JSON Schema allows them by default, but Toolfold rejects them by default. */
function acceptMore(schema: JsonSchemaObject): JsonSchemaObject {
  const isExplicit = ['additionalProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema);
  return isExplicit ? schema : { ...schema, additionalProperties: true };
}

function annotationsOf({ annotations }: Tool): Record<string, unknown> {
  if (!isJsonObject(annotations)) return {};
  // MCP defines `destructiveHint` only for tools that are not read-only.
  const { destructiveHint, ...rest } = annotations;
  return rest['readOnlyHint'] === true && destructiveHint === true ? rest : annotations;
}

/** Removes Toolfold's error report, which an upstream server must not forge. */
function withoutReport(meta: unknown): unknown {
  if (!isJsonObject(meta)) return meta;
  const { 'toolfold/error': _, ...rest } = meta;
  return rest;
}

/** Returns the answer unchanged, or throws if it is not a valid result. */
function toResult(answer: unknown, server: string, isStructured: boolean): CallToolResult {
  if (isTooDeep(answer, MAX_RESULT_DEPTH))
    throw new Error(
      `The server "${server}" answered with a result nested more than ${MAX_RESULT_DEPTH} levels deep.`,
    );
  const { content, structuredContent, isError, _meta } = isJsonObject(answer) ? answer : {};
  const result = {
    content: content ?? [],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta: withoutReport(_meta) }),
  };
  if (!isResult(result)) {
    const wrong = Array.isArray(content) ? content.find((block) => !isContentBlock(block)) : undefined;
    const what = isJsonObject(wrong)
      ? ` It has content of type "${String(wrong['type'])}" that is not valid.`
      : '';
    throw new Error(`The server "${server}" did not answer with a valid result.${what}`);
  }
  if (isStructured && structuredContent === undefined && isError !== true)
    throw new Error(`The server "${server}" answered without the structured content that it promises.`);
  return result;
}
