import type { JsonSchemaObject, View } from '../../index.js';
import type { McpTool, McpToolAnnotations } from '../../model.js';
import { isJsonObject } from '../../values/json-value.js';
import type { ListedHints, ListedTool } from './opened-target.js';

/** Lists the tools of a loaded registry, with all details. */
export function listView(view: View): ListedTool[] {
  return view.listTools().map((tool) => {
    const compiled = view.tools.get(tool.name);
    const { discriminator, actions } = compiled ?? { discriminator: undefined, actions: undefined };
    const only = actions?.get('')?.action;
    return {
      tool,
      ...identityOf(compiled?.tool),
      hints: hintsOf(tool.annotations),
      scopes: only?.scopes ?? [],
      isFilled: only?.resolveDefaults !== undefined,
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
              isFilled: action.resolveDefaults !== undefined,
            })),
    };
  });
}

/** Describes a tool that a running server lists. The actions of a Toolfold server are read from the enum that names them. */
export function listWireTool(tool: McpTool): ListedTool {
  const discriminator = findDiscriminator(tool);
  const properties = propertiesOf(tool.inputSchema);
  const keys = discriminator === undefined ? [] : (properties[discriminator] as { enum: string[] }).enum;
  return {
    tool,
    ...identityOf(readIdentity(tool)),
    hints: hintsOf(tool.annotations),
    scopes: [],
    isFilled: false,
    discriminator,
    actions: keys.map((key) => ({
      key,
      address: `${tool.name}/${key}`,
      group: key.includes('.') ? { name: key.slice(0, key.lastIndexOf('.')) } : undefined,
      scopes: [],
      inputSchema: inputOf(tool, discriminator as string, key),
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

function propertiesOf({ properties }: JsonSchemaObject): Readonly<Record<string, unknown>> {
  return isJsonObject(properties) ? properties : {};
}

/** The description that Toolfold's compiler gives the argument. */
const DISCRIMINATOR_TEXT = 'Which action to run';

function findDiscriminator({ inputSchema }: McpTool): string | undefined {
  const [first] = Object.entries(propertiesOf(inputSchema));
  if (!first) return undefined;
  const [name, schema] = first;
  const { description, enum: keys } = isJsonObject(schema) ? schema : {};
  const isOurs =
    description === DISCRIMINATOR_TEXT && Array.isArray(keys) && keys.every((key) => typeof key === 'string');
  return isOurs ? name : undefined;
}

/** The input of one action: the fields that the grouped tool marks for it, without the marks. */
function inputOf({ inputSchema }: McpTool, discriminator: string, key: string): JsonSchemaObject {
  const properties = new Map<string, unknown>();
  const required: string[] = [];
  for (const [name, schema] of Object.entries(propertiesOf(inputSchema))) {
    if (name === discriminator) continue;
    const use = readMark(isJsonObject(schema) ? String(schema['description'] ?? '') : '', key);
    if (!use) continue;
    properties.set(name, isJsonObject(schema) ? { ...schema, description: use.description } : schema);
    if (use.isRequired) required.push(name);
  }
  return { ...inputSchema, properties: Object.fromEntries(properties), required };
}

const ALWAYS = '(always required)';

function readMark(text: string, key: string): { description: string; isRequired: boolean } | undefined {
  if (text.endsWith(ALWAYS)) return { description: text.slice(0, -ALWAYS.length).trim(), isRequired: true };
  const [mark = '', requiredFor = '', alsoFor = '', usedFor = ''] =
    /(?:^|\s)(?:Required for: (.+?)(?:\. For: (.+))?|For: (.+))$/.exec(text) ?? [];
  // A field without a mark may belong to every action.
  if (mark === '') return { description: text, isRequired: false };
  const description = text.slice(0, -mark.length).trim();
  const isIn = (list: string): boolean => list.split(', ').includes(key);
  if (isIn(requiredFor)) return { description, isRequired: true };
  return isIn(alsoFor) || isIn(usedFor) ? { description, isRequired: false } : undefined;
}

/** Characters of JSON per token, measured with o200k on the tools of GitHub's server. */
const CHARACTERS_PER_TOKEN = 4.5;

/** Explains the estimate in reports. */
export const tokenMethod =
  'an estimate: characters of name, description and input schema as JSON, divided by 4.5';

/**
 * Estimates the tokens that a tool costs a model. Only these three fields reach the model. A real tokenizer would be
 * larger than the rest of the package; the test measures the error of the estimate.
 */
export function estimateTokens({ name, description, inputSchema }: McpTool): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}
