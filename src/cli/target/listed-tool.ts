import type { JsonSchemaObject, View } from '../../index.js';
import type { McpTool, McpToolAnnotations } from '../../model.js';
import { isJsonObject } from '../../values/json-value.js';

/** What a tool or an action says of itself; what it does not say is not there. */
export interface ListedHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

/** An action of a grouped tool. */
export interface ListedAction {
  readonly key: string;
  readonly address: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly description?: string | undefined;
  /** `undefined` where only the server knows. */
  readonly hints?: ListedHints | undefined;
  readonly scopes: readonly string[];
  /** Its own input, without the argument that names it. */
  readonly inputSchema: JsonSchemaObject;
  /** Whether the server fills in what is missing. */
  readonly isFilled: boolean;
}

/** A tool as clients see it, with what else is known of it. */
export interface ListedTool {
  readonly tool: McpTool;
  /** `namespace:name` of a tool that has a namespace. */
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly hints: ListedHints;
  readonly scopes: readonly string[];
  readonly isFilled: boolean;
  /** The argument that names the action, of a grouped tool. */
  readonly discriminator?: string | undefined;
  readonly actions: readonly ListedAction[];
}

/** The tools of a view of ours, about which everything is known. */
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

/** A tool that a server lists. The actions of a grouped one of ours are known by the argument that names them. */
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

/** Fields of a tool that are not part of MCP. */
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

/** As our compiler writes it. */
const MARK = 'Which action to run';

function findDiscriminator({ inputSchema }: McpTool): string | undefined {
  const [first] = Object.entries(propertiesOf(inputSchema));
  if (!first) return undefined;
  const [name, schema] = first;
  const { description, enum: keys } = isJsonObject(schema) ? schema : {};
  const isOurs = description === MARK && Array.isArray(keys) && keys.every((key) => typeof key === 'string');
  return isOurs ? name : undefined;
}

/** The fields that a grouped tool marks as those of one action, with the marks taken off. */
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
  // Where there is no mark, nothing says that the field is not for it.
  if (mark === '') return { description: text, isRequired: false };
  const description = text.slice(0, -mark.length).trim();
  const isIn = (list: string): boolean => list.split(', ').includes(key);
  if (isIn(requiredFor)) return { description, isRequired: true };
  return isIn(alsoFor) || isIn(usedFor) ? { description, isRequired: false } : undefined;
}
