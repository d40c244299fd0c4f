import { ErrInvalidTool, ErrInvalidModel } from '@toolfold/schema/errors';
import type { JsonSchemaObject } from '@toolfold/schema';
import type {
  ProtocolVersion,
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
} from '../../protocol/mcp-types.js';
import type { Meta, McpTool, McpToolAnnotations } from '@toolfold/profiles';
import { ToolAnnotations, Tool } from '../tool.js';
import {
  ToolAnnotationsConverterBase,
  ToolConverterBase,
  ConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
} from './converter-base.js';
import { defined } from '../../values/defined.js';
import { WireFields } from './wire-fields.js';
import { assertPlain, isJsonObject } from '@toolfold/schema/internal';
import { Prompt, PromptArgument, Resource, ResourceTemplate } from '../prompt-resource.js';

/** The `_meta` key for namespace, version and tags, which are sent only if the option `identity` is set. */
const IDENTITY_KEY = 'toolfold/identity';

/** Options of `McpToolConverter`. */
export interface McpToolConverterOptions {
  /** The protocol revision of the client. Default: 2026-07-28. */
  protocolVersion?: ProtocolVersion;
  /** Whether to send namespace, version and tags in `_meta['toolfold/identity']`. Default: false. */
  identity?: boolean;
  /** Whether to send `returnDirect` with the annotations. Default: false. */
  returnDirect?: boolean;
  /** Returns the name to send, for example one that includes the namespace. Default: the tool's own name. */
  nameOf?: (tool: Tool) => string;
}

/** Converts tool annotations to and from MCP. */
export class McpToolAnnotationsConverter extends ToolAnnotationsConverterBase<McpToolAnnotations> {
  readonly #returnDirect: boolean;

  constructor({ returnDirect = false }: Pick<McpToolConverterOptions, 'returnDirect'> = {}) {
    super();
    this.#returnDirect = returnDirect;
  }

  override convertFrom(annotations: ToolAnnotations): McpToolAnnotations {
    return defined<McpToolAnnotations>({
      title: annotations.title,
      readOnlyHint: annotations.readOnlyHint,
      destructiveHint: annotations.destructiveHint,
      idempotentHint: annotations.idempotentHint,
      openWorldHint: annotations.openWorldHint,
      returnDirect: this.#returnDirect ? annotations.returnDirect : undefined,
    });
  }

  override convertTo(wire: McpToolAnnotations): ToolAnnotations {
    const fields = new WireFields(wire, 'annotations', ErrInvalidTool);
    return new ToolAnnotations({
      title: fields.string('title'),
      readOnlyHint: fields.boolean('readOnlyHint'),
      destructiveHint: fields.boolean('destructiveHint'),
      idempotentHint: fields.boolean('idempotentHint'),
      openWorldHint: fields.boolean('openWorldHint'),
      returnDirect: this.#returnDirect ? fields.boolean('returnDirect') : undefined,
    });
  }
}

/** Converts tools to and from MCP. Both sides share the schema objects; they are not copied. */
export class McpToolConverter extends ToolConverterBase<McpTool> {
  readonly #era: ProtocolVersion;
  readonly #identity: boolean;
  readonly #nameOf: (tool: Tool) => string;
  readonly #annotations: McpToolAnnotationsConverter;

  constructor(options: McpToolConverterOptions = {}) {
    super();
    assertPlain('McpToolConverter', options);
    this.#era = options.protocolVersion ?? '2026-07-28';
    this.#identity = options.identity ?? false;
    this.#nameOf = options.nameOf ?? (({ name }) => name);
    this.#annotations = new McpToolAnnotationsConverter(options);
  }

  override convertFrom(tool: Tool): McpTool {
    tool.validate();
    assertWritable(tool, 'inputSchema', tool.inputSchema);
    const is2025 = this.#era === '2025-11-25';
    // 2025-11-25 allows only output schemas of objects.
    const canSendOutput = !is2025 || tool.outputSchema?.['type'] === 'object';
    if (is2025 && canSendOutput && tool.outputSchema) assertWritable(tool, 'outputSchema', tool.outputSchema);
    const toRevision = is2025 ? expandBooleanSchemas : (schema: JsonSchemaObject): JsonSchemaObject => schema;
    return defined<McpTool>({
      name: this.#nameOf(tool),
      title: tool.title,
      description: tool.description,
      inputSchema: toRevision(tool.inputSchema) as McpTool['inputSchema'],
      outputSchema: canSendOutput ? tool.outputSchema && toRevision(tool.outputSchema) : undefined,
      annotations: tool.annotations && this.#annotations.convertFrom(tool.annotations),
      execution: is2025 ? tool.execution : undefined,
      icons: tool.icons,
      _meta: this.#identity ? withIdentity(tool) : tool.meta,
    });
  }

  override convertTo(wire: McpTool): Tool {
    const fields = new WireFields(wire, 'tool', ErrInvalidTool);
    const annotations = fields.object('annotations');
    const execution = fields.nested('execution');
    const meta = fields.object('_meta');
    const { tags, ...identity } = this.#identity ? splitIdentity(meta) : { meta, tags: undefined };
    const tool = new Tool({
      ...fields.base(),
      inputSchema: fields.required(fields.schema('inputSchema'), 'inputSchema'),
      outputSchema: fields.schema('outputSchema'),
      annotations: annotations && this.#annotations.convertTo(annotations),
      execution:
        execution &&
        defined({ taskSupport: execution.oneOf('taskSupport', ['forbidden', 'optional', 'required']) }),
      ...identity,
    });
    return tags ? tool.setTags(tags) : tool;
  }
}

/** Rejects a schema that is not an object schema, because official clients reject the whole list of tools if it contains one. */
function assertWritable(tool: Tool, key: string, schema: JsonSchemaObject): void {
  const { type, properties = {}, required = [] } = schema;
  const isWritable =
    type === 'object' &&
    isJsonObject(properties) &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string');
  if (isWritable) return;
  throw new ErrInvalidTool(`The ${key} of tool "${tool.name}" is not an object schema.`, {
    hint: 'MCP requires "type": "object" at the root, properties by name and a list of required names.',
    details: { name: tool.name },
  });
}

/** Writes property schemas `true` and `false` as objects, because 2025-11-25 allows only objects there. */
function expandBooleanSchemas(schema: JsonSchemaObject): JsonSchemaObject {
  const properties = schema['properties'] as Record<string, unknown> | undefined;
  if (!properties || Object.values(properties).every((property) => typeof property === 'object'))
    return schema;
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    typeof property === 'boolean' ? (property ? {} : { not: {} }) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) as Record<string, unknown> };
}

function withIdentity(tool: Tool): Meta | undefined {
  const { namespace, version, tags } = tool;
  const identity = defined({ namespace, version, tags: tags.length > 0 ? [...tags] : undefined });
  return Object.keys(identity).length > 0 ? { ...tool.meta, [IDENTITY_KEY]: identity } : tool.meta;
}

function splitIdentity(meta: Meta | undefined) {
  if (!meta || !Object.hasOwn(meta, IDENTITY_KEY)) return { meta, tags: undefined };
  const { [IDENTITY_KEY]: identity, ...rest } = meta;
  const fields = new WireFields(identity, `"${IDENTITY_KEY}" of a tool`, ErrInvalidTool);
  return {
    meta: Object.keys(rest).length > 0 ? rest : undefined,
    namespace: fields.string('namespace'),
    version: fields.string('version'),
    tags: fields.strings('tags'),
  };
}

/** Reads one tool from MCP JSON, as text or parsed. Set its namespace and tags afterwards. */
export function fromMCPJSON(json: string | object): Tool {
  let wire: unknown = json;
  if (typeof json === 'string') {
    try {
      wire = JSON.parse(json);
    } catch (cause) {
      throw new ErrInvalidTool('The tool is not valid JSON.', { cause });
    }
  }
  return new McpToolConverter().convertTo(wire as McpTool);
}

/** Writes one tool as MCP JSON text, without its namespace, version and tags. */
export function toMCPJSON(tool: Tool, protocolVersion: ProtocolVersion = '2026-07-28'): string {
  return JSON.stringify(new McpToolConverter({ protocolVersion }).convertFrom(tool));
}

// Prompts, resources and resource templates have the same JSON in both protocol revisions.

/** Converts prompts to and from MCP. */
export class McpPromptConverter extends PromptConverterBase<McpPrompt> {
  override convertFrom(prompt: Prompt): McpPrompt {
    return defined<McpPrompt>({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.promptArguments?.map(({ name, title, description, required }) =>
        defined<McpPromptArgument>({ name, title, description, required }),
      ),
      icons: prompt.icons,
      _meta: prompt.meta,
    });
  }

  override convertTo(wire: McpPrompt): Prompt {
    const fields = new WireFields(wire, 'prompt', ErrInvalidModel);
    return new Prompt({
      ...fields.base(),
      promptArguments: fields.nestedList('arguments')?.map(
        (argument) =>
          new PromptArgument({
            name: argument.required(argument.string('name'), 'name'),
            title: argument.string('title'),
            description: argument.string('description'),
            required: argument.boolean('required'),
          }),
      ),
    });
  }
}

/** Converts resources to and from MCP. */
export class McpResourceConverter extends ResourceConverterBase<McpResource> {
  override convertFrom(resource: Resource): McpResource {
    return defined<McpResource>({ uri: resource.uri, ...writeFields(resource, resource.size) });
  }

  override convertTo(wire: McpResource): Resource {
    const fields = new WireFields(wire, 'resource', ErrInvalidModel);
    return new Resource({
      uri: fields.required(fields.string('uri'), 'uri'),
      size: fields.number('size'),
      ...readFields(fields),
    });
  }
}

/** Converts resource templates to and from MCP. */
export class McpResourceTemplateConverter extends ConverterBase<ResourceTemplate, McpResourceTemplate> {
  override convertFrom(template: ResourceTemplate): McpResourceTemplate {
    return defined<McpResourceTemplate>({ uriTemplate: template.uriTemplate, ...writeFields(template) });
  }

  override convertTo(wire: McpResourceTemplate): ResourceTemplate {
    const fields = new WireFields(wire, 'resource template', ErrInvalidModel);
    return new ResourceTemplate({
      uriTemplate: fields.required(fields.string('uriTemplate'), 'uriTemplate'),
      ...readFields(fields),
    });
  }
}

/** The fields are sent in this order. Only resources have a size. */
function writeFields(item: Resource | ResourceTemplate, size?: number) {
  const { name, title, description, mimeType, annotations, icons, meta } = item;
  return { name, title, description, mimeType, size, annotations, icons, _meta: meta };
}

function readFields(fields: WireFields) {
  return { ...fields.base(), mimeType: fields.string('mimeType'), annotations: fields.annotations() };
}
