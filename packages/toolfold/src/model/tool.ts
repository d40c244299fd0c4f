import type { ToolExecution } from '@toolfold/profiles';
import { ErrInvalidTool, ErrInvalidToolID } from '@toolfold/schema/errors';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { BaseModelInit } from './base.js';
import { GroupItem } from './base.js';

const MAX_NAME_LENGTH = 128;

/** Creates the error for the name of a tool. All of them state the same rule. */
export function invalidName(message: string, details: Readonly<Record<string, unknown>>): ErrInvalidTool {
  return new ErrInvalidTool(message, {
    hint: "Use at most 64 letters, digits, _ and -. With wireNames: 'any', a name may also have dots and 128 characters.",
    details,
  });
}

/** Constructor fields of `Tool`. */
export interface ToolInit extends BaseModelInit {
  /** JSON Schema of the arguments, which are an object. */
  inputSchema: JsonSchemaObject;
  /** JSON Schema of `structuredContent`. */
  outputSchema?: JsonSchemaObject | undefined;
  /** Hints about the effects of a call. */
  annotations?: ToolAnnotations | undefined;
  /** Whether calls can run as tasks. */
  execution?: ToolExecution | undefined;
  /** The owner of the tool. Stays the same when the backend behind the tool changes. */
  namespace?: string | undefined;
  /** The version of the tool, in any format. */
  version?: string | undefined;
  /** Tags for search and filters. */
  tags?: readonly string[] | undefined;
}

/** An MCP tool. Its namespace, version and tags are sent to clients only if a converter is configured to send them. */
export class Tool extends GroupItem {
  inputSchema: JsonSchemaObject;
  outputSchema: JsonSchemaObject | undefined;
  annotations: ToolAnnotations | undefined;
  execution: ToolExecution | undefined;
  /** The owner of the tool. Stays the same when the backend behind the tool changes. */
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

  /** Replaces the tags. Without a strategy, such as `normalizeTags`, they are kept as written. */
  setTags(tags: readonly string[], strategy?: TagStrategy): this {
    this.tags = Object.freeze(strategy ? strategy(tags) : [...tags]);
    return this;
  }

  /** `namespace:name`, or `name` for a tool without a namespace. */
  toolID(): string {
    return formatToolID(this);
  }

  /** Checks the name and that the tool has an input schema. A `SchemaValidator` checks the schema itself. */
  validate(): void {
    const { name } = this;
    assertToolName(name);
    if (this.inputSchema === undefined || this.inputSchema === null) {
      throw new ErrInvalidTool(`Tool "${name}" has no input schema.`, {
        hint: 'For a tool without arguments write { type: "object" }.',
        details: { name },
      });
    }
  }
}

/**
 * Throws if a tool cannot have this name.
 *
 * @internal
 */
export function assertToolName(name: unknown): void {
  if (typeof name !== 'string' || name === '') {
    throw new ErrInvalidTool('The tool has no name.', { hint: 'Give it a name.' });
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw invalidName(
      `Tool name "${name.slice(0, 32)}…" has ${name.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`,
      { name },
    );
  }
  if (/[^A-Za-z0-9_.-]/.test(name)) {
    const forbidden = [...new Set(name.replace(/[A-Za-z0-9_.-]/g, ''))];
    throw invalidName(
      `Tool name "${name}" contains ${forbidden.map((character) => JSON.stringify(character)).join(', ')}.`,
      { name, forbidden },
    );
  }
}

/** MCP's hints about a tool. For a hint that is left out, MCP's default applies. */
export interface ToolAnnotationsInit {
  /** The name that people read. */
  title?: string | undefined;
  /** The tool does not change its environment. */
  readOnlyHint?: boolean | undefined;
  /** The tool may destroy data. */
  destructiveHint?: boolean | undefined;
  /** Repeating a call has no further effect. */
  idempotentHint?: boolean | undefined;
  /** The tool reaches an open set of things, such as the web. */
  openWorldHint?: boolean | undefined;
  /** The result goes to the user unchanged. Not part of MCP. */
  returnDirect?: boolean | undefined;
}

/** MCP's hints about a tool. For a hint that is `undefined`, MCP's default applies. */
export class ToolAnnotations {
  /** The name that people read. */
  title: string | undefined;
  /** The tool does not change its environment. MCP's default: false. */
  readOnlyHint: boolean | undefined;
  /** The tool may destroy data. MCP's default: true. */
  destructiveHint: boolean | undefined;
  /** Repeating a call has no further effect. MCP's default: false. */
  idempotentHint: boolean | undefined;
  /** The tool reaches an open set of things, such as the web. MCP's default: true. */
  openWorldHint: boolean | undefined;
  /** The result goes to the user unchanged. Not part of MCP, so converters send it only on request. */
  returnDirect: boolean | undefined;

  constructor(init: ToolAnnotationsInit = {}) {
    this.title = init.title;
    this.readOnlyHint = init.readOnlyHint;
    this.destructiveHint = init.destructiveHint;
    this.idempotentHint = init.idempotentHint;
    this.openWorldHint = init.openWorldHint;
    this.returnDirect = init.returnDirect;
  }
}

const SEPARATOR = ':';

/** The parts of `namespace:name`, or of a bare `name`. */
export interface ToolID {
  /** The owner of the tool. */
  readonly namespace?: string;
  /** The name of the tool within its namespace. */
  readonly name: string;
}

/** Writes the canonical ID, which `parseToolID` reads back. */
export function formatToolID({ namespace, name }: { namespace?: string | undefined; name: string }): string {
  for (const [part, text] of Object.entries({ namespace, name }))
    if (text?.includes(SEPARATOR))
      throw new ErrInvalidToolID(`The ${part} "${text}" contains ":", which separates namespace and name.`, {
        hint: `Remove ":" from the ${part}.`,
      });
  if (!name) throw new ErrInvalidToolID('A tool ID needs a name.', { hint: 'Give the tool a name.' });
  if (namespace === '') {
    throw new ErrInvalidToolID(`The namespace of tool "${name}" is empty.`, {
      hint: 'Leave the namespace undefined instead.',
    });
  }
  return namespace === undefined ? name : `${namespace}${SEPARATOR}${name}`;
}

/** Reads `namespace:name` or `name`, and rejects anything else. */
export function parseToolID(id: string): ToolID {
  const hint = 'Write "namespace:name" or "name".';
  if (typeof id !== 'string' || id === '') throw new ErrInvalidToolID('The tool ID is empty.', { hint });
  const parts = id.split(SEPARATOR);
  if (parts.length > 2) throw new ErrInvalidToolID(`Tool ID "${id}" has more than one ":".`, { hint });
  if (parts.includes('')) throw new ErrInvalidToolID(`Tool ID "${id}" has an empty part.`, { hint });
  const [first = '', second] = parts;
  return second === undefined ? { name: first } : { namespace: first, name: second };
}

/** Derives tags from the tags that an author wrote. */
export type TagStrategy = (tags: readonly string[]) => string[];

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 64;

/**
 * The form in which policies compare tags. Two tags are the same if they differ only in case, in surrounding white space or in
 * how Unicode composes their characters. Nothing is dropped, shortened or merged, so a policy never misses a tag that it names.
 */
export function toComparableTag(tag: string): string {
  return tag.normalize('NFC').trim().toLowerCase().normalize('NFC');
}

/**
 * A strategy for short, searchable ASCII tags: lower-case, at most 20 tags of 64 characters each, in the order in which they were
 * written. Other characters are dropped.
 */
export const normalizeTags: TagStrategy = (tags) => {
  const kept = new Set<string>();
  for (const tag of tags) {
    const normal = tag
      .toLowerCase()
      .trim()
      .replace(/\s+/g, '-')
      .replace(/[^a-z0-9_.-]/g, '')
      .slice(0, MAX_TAG_LENGTH);
    if (normal) kept.add(normal);
    if (kept.size === MAX_TAGS) break;
  }
  return [...kept];
};
