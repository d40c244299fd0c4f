import { deepFreeze, isJsonObject } from '@toolfold/schema/internal';
import type { RequestContext } from './tool-definition.js';
import { ErrDuplicateName, ErrInvalidModel, ErrUnknownResource } from '@toolfold/schema/errors';
import type { McpResource, McpResourceTemplate, Annotations } from '../protocol/mcp-types.js';
import type { Meta } from '@toolfold/profiles';
import { McpResourceConverter, McpResourceTemplateConverter } from '../model/converters/mcp-converters.js';
import { Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { hasDotSegment } from '../values/dot-segment.js';
import { isResourceContents } from '../protocol/tool-result.js';
import { readBase } from './prompts.js';
import type { Completer, ItemDefinition } from './prompts.js';

/** The content of a resource, as text or as Base64 in `blob`. */
export type ResourceContents = { uri: string; mimeType?: string; _meta?: Meta } & (
  | { text: string }
  | { blob: string }
);

/** The answer to `resources/read`. */
export interface ReadResourceResult {
  /** The contents: usually one entry, several for a directory. */
  contents: ResourceContents[];
  /** Metadata for programs; the model does not see it. */
  _meta?: Meta;
}

/** Passed to the handler of a resource. */
interface ResourceRequest<App> {
  /** The URI that the client requested. */
  readonly uri: string;
  /** The values of the template's variables; empty for a plain resource. */
  readonly variables: Readonly<Record<string, string>>;
  /** The caller, the session and the services of the request. */
  readonly context: RequestContext<App>;
}

/** Passed to `subscribe` of a resource when its first client subscribes. */
export interface ResourceSubscription {
  /** The URI that the clients subscribed to. */
  readonly uri: string;
  /** The session context of the clients; empty if there is none. It is not verified. */
  readonly session: Readonly<Record<string, unknown>>;
}

/** Defines a resource or, with `uriTemplate`, a family of resources. */
export interface ResourceDefinition<App = unknown> extends ItemDefinition {
  /** The URI of a single resource. Give either this or `uriTemplate`. */
  readonly uri?: string;
  /** The addresses of a family of resources as an RFC 6570 template, such as `users://{id}`. */
  readonly uriTemplate?: string;
  /** MIME type of the contents, such as `text/markdown`. */
  readonly mimeType?: string;
  /** Size in bytes, before any encoding. */
  readonly size?: number;
  /** Tells clients the audience, the priority and the last change of the resource. */
  readonly annotations?: Annotations;
  /** Completers that suggest values, by the name of the template variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
  /**
   * Called when the first client in a session context subscribes to a resource. Call `registry.notifyResourceUpdated(uri)` for its
   * changes. The returned function is called when the last of these clients has unsubscribed.
   */
  readonly subscribe?: (subscription: ResourceSubscription) => (() => void) | undefined;
  /** Returns text, bytes, or contents with their own URI. Throw an error with `status: 404` if the resource does not exist. */
  readonly handler: (request: ResourceRequest<App>) => unknown;
}

/** A resource has either a URI or a template of URIs. */
export type ResourceAddress =
  | { readonly uri: string; readonly uriTemplate?: never }
  | { readonly uriTemplate: string; readonly uri?: never };

interface ReadyTemplate {
  readonly item: ResourceTemplate;
  readonly template: UriTemplate;
  readonly definition: ResourceDefinition;
}

export class Resources {
  #resources = new Map<string, { readonly item: Resource; readonly definition: ResourceDefinition }>();
  #templates = new Map<string, ReadyTemplate>();
  #list: readonly McpResource[] | undefined;
  #templateList: readonly McpResourceTemplate[] | undefined;

  get size(): number {
    return this.#resources.size + this.#templates.size;
  }

  add(definition: ResourceDefinition): void {
    const base = readBase('resource', definition);
    const { name } = base;
    const { uri, uriTemplate } = definition;
    if ((uri === undefined) === (uriTemplate === undefined)) {
      throw new ErrInvalidModel(`Resource "${name}" needs either a uri or a uriTemplate.`);
    }
    this.#list = this.#templateList = undefined;
    const shared = {
      ...base,
      mimeType: definition.mimeType,
      annotations: definition.annotations && structuredClone(definition.annotations),
    };
    if (uri !== undefined) {
      if (this.#resources.has(uri)) throw new ErrDuplicateName(`A resource "${uri}" is already registered.`);
      this.#resources.set(uri, { item: new Resource({ ...shared, uri, size: definition.size }), definition });
    } else if (uriTemplate !== undefined) {
      if (this.#templates.has(uriTemplate))
        throw new ErrDuplicateName(`A resource template "${uriTemplate}" is already registered.`);
      const template = parseUriTemplate(uriTemplate);
      const unknown = Object.keys(definition.complete ?? {}).find(
        (variable) => !template.variables.includes(variable),
      );
      if (unknown !== undefined) {
        throw new ErrInvalidModel(
          `Resource "${name}" completes "${unknown}", which is not in "${uriTemplate}".`,
        );
      }
      this.#templates.set(uriTemplate, {
        item: new ResourceTemplate({ ...shared, uriTemplate }),
        template,
        definition,
      });
    }
  }

  /** Replaces all resources and templates. If one of them is invalid, nothing changes. */
  replace(definitions: readonly ResourceDefinition[]): void {
    const others = new Resources();
    for (const definition of definitions) others.add(definition);
    this.#resources = others.#resources;
    this.#templates = others.#templates;
    this.#list = this.#templateList = undefined;
  }

  get items(): (Resource | ResourceTemplate)[] {
    return [...this.#resources.values(), ...this.#templates.values()].map(({ item }) => item);
  }

  list(): readonly McpResource[] {
    return (this.#list ??= deepFreeze(
      new McpResourceConverter().convertFromResources([...this.#resources.values()].map(({ item }) => item)),
    ));
  }

  listTemplates(): readonly McpResourceTemplate[] {
    return (this.#templateList ??= deepFreeze(
      new McpResourceTemplateConverter().convertFromBatch(
        [...this.#templates.values()].map(({ item }) => item),
      ),
    ));
  }

  /** Plain resources take precedence over templates. */
  find(uri: string): 'resource' | 'template' | undefined {
    if (this.#resources.has(uri)) return 'resource';
    return this.#find(uri) && 'template';
  }

  /** The function that watches a resource; `undefined` if the resource is unknown or has none. */
  subscriberOf(uri: string): ResourceDefinition['subscribe'] {
    return this.#find(uri)?.definition.subscribe;
  }

  hasTemplate(uriTemplate: string): boolean {
    return this.#templates.has(uriTemplate);
  }

  async read(uri: string, context: RequestContext): Promise<ReadResourceResult> {
    const found = this.#find(uri);
    if (!found) throw unknownResource(uri);
    const { definition, variables } = found;
    try {
      return toContents(await definition.handler({ uri, variables, context }), uri, definition.mimeType);
    } catch (error) {
      throw isMissing(error) ? unknownResource(uri, { cause: error }) : error;
    }
  }

  completer(uriTemplate: string, variable: string): Completer | undefined {
    const { complete } = this.#templates.get(uriTemplate)?.definition ?? {};
    return complete && Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }

  #find(uri: string) {
    const exact = this.#resources.get(uri);
    if (exact) return { definition: exact.definition, variables: {} };
    for (const { template, definition } of this.#templates.values()) {
      const variables = template.match(uri);
      if (variables) return { definition, variables };
    }
    return undefined;
  }
}

function unknownResource(uri: string, options?: { readonly cause: unknown }): ErrUnknownResource {
  return new ErrUnknownResource(`Unknown resource "${uri}".`, { details: { uri }, ...options });
}

/**
 * Whether an error says that the resource does not exist: a template matches more URIs than there are resources. Causes of the
 * error do not count, because they may concern other requests.
 */
function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('status' in error)) return false;
  return error.status === 404 || error.status === 410;
}

function toContents(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  const about = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof value === 'string') return { contents: [{ ...about, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ ...about, blob: toBase64(value) }] };
  if (Array.isArray(value) && value.every(isResourceContents)) return { contents: value };
  if (isResourceContents(value)) return { contents: [value] };
  const { contents } = isJsonObject(value) ? value : {};
  if (Array.isArray(contents) && contents.every(isResourceContents))
    return value as unknown as ReadResourceResult;
  throw new ErrInvalidModel('The handler of a resource must return text, bytes or contents.');
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

const MAX_URI_LENGTH = 4096;

/** An RFC 6570 URI template that extracts the values of its variables from a URI. */
export interface UriTemplate {
  readonly variables: readonly string[];
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

/**
 * Parses a template with the expressions `{name}`, which matches up to `/`, `?` or `#`, and `{+name}`, which matches everything.
 * A value of `{+name}` with the segment `.` or `..` does not match.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  let wild = 0;
  const wildNames = new Set<string>();
  const parts = template.split(/(\{[^{}]*\})/);
  const pattern = parts
    .map((part, index) => {
      if (!part.startsWith('{')) return escape(part);
      const [, operator, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
      const isSecondWild = operator === '+' && wild++ > 0;
      // Without text between two variables, the end of the first is ambiguous.
      const isAdjacent = parts[index + 1] === '' && index + 2 < parts.length;
      if (name === undefined || variables.includes(name) || isSecondWild || isAdjacent) {
        throw new ErrInvalidModel(
          `The URI template "${template}" has an expression ${part} that is not supported.`,
          {
            hint: 'Use {name} or {+name}, each name once, text between them, and one {+name} at most.',
            details: { template },
          },
        );
      }
      variables.push(name);
      if (operator === '+') wildNames.add(name);
      // A variable ends at the first character of the text that follows, so there is only one way to match and no
      // backtracking.
      const next = parts[index + 1]?.charAt(0) ?? '';
      const end = next === '-' ? '\\-' : escape(next);
      return operator === '+' ? '(.+)' : `([^/?#${end}]+)`;
    })
    .join('');
  const expression = new RegExp(`^${pattern}$`, 'u');
  return {
    variables,
    match(uri) {
      const found = uri.length <= MAX_URI_LENGTH ? expression.exec(uri) : null;
      if (!found) return undefined;
      const values = variables.map((name, index) => [name, decode(found[index + 1] ?? '')] as const);
      // Dot segments would lead out of the path of {+name}, and an encoded slash out of the segment of {name}.
      for (const [name, value] of values) {
        if (hasDotSegment(value) || (!wildNames.has(name) && /[/\\]/.test(value))) return undefined;
      }
      return Object.fromEntries(values);
    },
  };
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
