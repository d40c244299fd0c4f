import type { ToolExecution } from '../protocol/mcp-types.js';
import { ErrInvalidTool } from '../errors.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';
import type { TagStrategy } from './tags.js';
import type { ToolAnnotations } from './tool-annotations.js';
import { formatToolID } from './tool-id.js';

const MAX_NAME_LENGTH = 128;

/** What a tool is made from. */
export interface ToolInit extends BaseModelInit {
  /** What its arguments are: JSON Schema of an object. */
  inputSchema: JsonSchemaObject;
  /** What its `structuredContent` is. */
  outputSchema?: JsonSchemaObject | undefined;
  /** What a call of it does to the world. */
  annotations?: ToolAnnotations | undefined;
  /** How it can be run. */
  execution?: ToolExecution | undefined;
  /** Whose tool it is. Stable even when the backend behind the tool moves. */
  namespace?: string | undefined;
  /** The version of the tool, in any form. */
  version?: string | undefined;
  /** Words by which tools are found and filtered. */
  tags?: readonly string[] | undefined;
}

/** What MCP calls a tool, with an identity beside it that stays off the wire unless asked for. */
export class Tool extends GroupItem {
  inputSchema: JsonSchemaObject;
  outputSchema: JsonSchemaObject | undefined;
  annotations: ToolAnnotations | undefined;
  execution: ToolExecution | undefined;
  /** Stable even when the backend behind the tool moves. */
  namespace: string | undefined;
  version: string | undefined;
  tags: readonly string[] = [];

  constructor(init: ToolInit) {
    super(init);
    this.inputSchema = init.inputSchema;
    this.outputSchema = init.outputSchema;
    this.annotations = init.annotations;
    this.execution = init.execution;
    this.namespace = init.namespace;
    this.version = init.version;
    this.setTags(init.tags ?? []);
  }

  get kind(): 'tool' {
    return 'tool';
  }

  /** Replaces the tags. They are kept as written unless a strategy such as `normalizeTags` is given. */
  setTags(tags: readonly string[], strategy?: TagStrategy): this {
    this.tags = Object.freeze(strategy ? strategy(tags) : [...tags]);
    return this;
  }

  /** `namespace:name`, or `name` where there is no namespace. */
  toolID(): string {
    return formatToolID(this);
  }

  /** Checks the name and that there is an input schema. Schemas themselves are a `SchemaValidator`'s work. */
  validate(): void {
    const { name } = this;
    if (typeof name !== 'string' || name === '') {
      throw new ErrInvalidTool('The tool has no name.', { hint: 'Give it a name.' });
    }
    if (name.length > MAX_NAME_LENGTH) {
      throw new ErrInvalidTool(
        `Tool name "${name.slice(0, 32)}…" has ${name.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`,
        { hint: 'Shorten it.', details: { name } },
      );
    }
    const forbidden = [...new Set(name.replace(/[A-Za-z0-9_.-]/g, ''))];
    if (forbidden.length > 0) {
      throw new ErrInvalidTool(
        `Tool name "${name}" contains ${forbidden.map((character) => JSON.stringify(character)).join(', ')}.`,
        { hint: 'Use letters, digits, "_", "." and "-" only.', details: { name, forbidden } },
      );
    }
    if (this.inputSchema === undefined || this.inputSchema === null) {
      throw new ErrInvalidTool(`Tool "${name}" has no input schema.`, {
        hint: 'For a tool without arguments write { type: "object" }.',
        details: { name },
      });
    }
  }
}
