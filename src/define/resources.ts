import { deepFreeze } from '../values/freeze.js';
import type { RequestContext } from './tool-definition.js';
import { ErrDuplicateName, ErrInvalidModel, ErrUnknownResource } from '../errors.js';
import type { Meta, McpResource, McpResourceTemplate, Annotations } from '../protocol/mcp-types.js';
import { McpResourceConverter, McpResourceTemplateConverter } from '../model/converters/mcp-converters.js';
import { Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { isResourceContents } from '../protocol/tool-result.js';
import { isJsonObject } from '../values/json-value.js';
import { readBase } from './prompts.js';
import type { Completer, ItemDefinition } from './prompts.js';
import { parseUriTemplate } from './uri-template.js';
import type { UriTemplate } from './uri-template.js';

/** The content of a resource, as text or as Base64 in `blob`. */
export type ResourceContents = { uri: string; mimeType?: string; _meta?: Meta } & (
  | { text: string }
  | { blob: string }
);

/** The result of reading a resource. */
export interface ReadResourceResult {
  /** The contents: usually one entry, several for a directory. */
  contents: ResourceContents[];
  /** Data for programs. */
  _meta?: Meta;
}

/** The argument of a resource handler. */
interface ResourceRequest<App> {
  /** The requested address. */
  readonly uri: string;
  /** The values of the template's variables; empty for a plain resource. */
  readonly variables: Readonly<Record<string, string>>;
  /** The context of the request. */
  readonly context: RequestContext<App>;
}

/** A resource, or with `uriTemplate` a family of them. */
export interface ResourceDefinition<App = unknown> extends ItemDefinition {
  /** The address of the resource. Give either this or `uriTemplate`. */
  readonly uri?: string;
  /** The addresses of a family of resources as an RFC 6570 template, such as `users://{id}`. */
  readonly uriTemplate?: string;
  /** The MIME type of the contents. */
  readonly mimeType?: string;
  /** Size in bytes, before any encoding. */
  readonly size?: number;
  /** Audience, priority and time of the last change. */
  readonly annotations?: Annotations;
  /** Suggests values, by the name of the template variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
  /** Returns text, bytes, or contents with their own URI. Throw an error with `status: 404` if the resource does not exist. */
  readonly handler: (request: ResourceRequest<App>) => unknown;
}

interface ReadyTemplate {
  readonly item: ResourceTemplate;
  readonly template: UriTemplate;
  readonly definition: ResourceDefinition;
}

/** The resources and resource templates of a registry. */
export class Resources {
  readonly #resources = new Map<
    string,
    { readonly item: Resource; readonly definition: ResourceDefinition }
  >();
  readonly #templates = new Map<string, ReadyTemplate>();
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

  /** The resources and templates as model objects. */
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

  async read(uri: string, context: RequestContext): Promise<ReadResourceResult> {
    const { definition, variables } = this.#find(uri);
    try {
      return toContents(await definition.handler({ uri, variables, context }), uri, definition.mimeType);
    } catch (error) {
      throw isMissing(error) ? unknownResource(uri, error) : error;
    }
  }

  completer(uriTemplate: string, variable: string): Completer | undefined {
    const { complete } = this.#templates.get(uriTemplate)?.definition ?? {};
    return complete && Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }

  #find(uri: string): { definition: ResourceDefinition; variables: Readonly<Record<string, string>> } {
    const exact = this.#resources.get(uri);
    if (exact) return { definition: exact.definition, variables: {} };
    for (const { template, definition } of this.#templates.values()) {
      const variables = template.match(uri);
      if (variables) return { definition, variables };
    }
    throw unknownResource(uri);
  }
}

function unknownResource(uri: string, cause?: unknown): ErrUnknownResource {
  return new ErrUnknownResource(`Unknown resource "${uri}".`, {
    details: { uri },
    ...(cause === undefined ? {} : { cause }),
  });
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
  if (
    isJsonObject(value) &&
    Array.isArray(value['contents']) &&
    value['contents'].every(isResourceContents)
  ) {
    return value as unknown as ReadResourceResult;
  }
  throw new ErrInvalidModel('The handler of a resource must return text, bytes or contents.');
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}
