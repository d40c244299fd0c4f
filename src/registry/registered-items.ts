import { fromPrompt, fromResource } from '../compile/from-model.js';
import { Prompts } from '../define/prompts.js';
import type { GetPromptResult, PromptDefinition } from '../define/prompts.js';
import { Resources } from '../define/resources.js';
import type { ReadResourceResult, ResourceDefinition } from '../define/resources.js';
import type { RequestContext } from '../define/tool-definition.js';
import { assertRequest } from '../engine/assert-request.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import { runWithContext, sessionOf } from '../engine/request-context.js';
import type { Services } from '../engine/services.js';
import { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import type { McpPrompt, McpResource, McpResourceTemplate } from '../protocol/mcp-types.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import type { TreeItem } from '../views/view-tree.js';
import { complete } from './complete.js';
import type { Completion, CompletionRequest } from './complete.js';
import type { Mounts } from './mount/mounts.js';
import type { UpdateSource, WatchRequest } from './watch/resource-watches.js';

/** The items that replace all others of their kinds. */
export interface ReplacedItems {
  readonly prompts?: readonly PromptDefinition[];
  readonly resources?: readonly ResourceDefinition[];
}

/** The prompts and resources of a registry, and after them those of its mounted registries. */
export class RegisteredItems {
  readonly prompts: Prompts;
  readonly resources = new Resources();
  readonly #services: Services;
  readonly #mounts: () => Mounts;
  /** Kinds of items that the registry had, or may get, although it has none now. */
  readonly #declared = new Set<'prompts' | 'resources'>();

  constructor(validator: SchemaValidator | undefined, services: Services, mounts: () => Mounts) {
    this.prompts = new Prompts(validator);
    this.#services = services;
    this.#mounts = mounts;
  }

  /** Adds a prompt: a definition, or a prompt of the model with its handler. */
  addPrompt(given: object, handler: unknown): void {
    const prompt = given instanceof Prompt ? fromPrompt(given, handler) : (given as PromptDefinition);
    this.#mounts().assertFree('prompts', prompt.name);
    this.prompts.add(prompt);
    this.#mounts().forgetLists();
  }

  /** Adds a resource or a template: a definition, or one of the model with its handler. */
  addResource(given: object, handler: unknown): void {
    const isModel = given instanceof Resource || given instanceof ResourceTemplate;
    const resource = isModel ? fromResource(given, handler) : (given as ResourceDefinition);
    this.#mounts().assertFree('resources', resource.uri);
    this.#mounts().assertFree('resourceTemplates', resource.uriTemplate);
    this.resources.add(resource);
    this.#mounts().forgetLists();
  }

  get counts(): { readonly prompts: number; readonly resources: number } {
    const mounts = this.#mounts();
    return {
      prompts: this.prompts.size + mounts.count('prompts'),
      resources: this.resources.size + mounts.count('resources', 'resourceTemplates'),
    };
  }

  /** Replaces the registry's own prompts or resources. Clients that know the methods of a kind can use them from then on. */
  replace({ prompts, resources }: ReplacedItems): void {
    if (prompts) this.prompts.replace(prompts);
    if (resources) this.resources.replace(resources);
    if (prompts && prompts.length > 0) this.declare('prompts');
    if (resources && resources.length > 0) this.declare('resources');
    this.#mounts().forgetLists();
  }

  /** Serves the methods of a kind even while there are no items of it. */
  declare(kind: 'prompts' | 'resources'): void {
    this.#declared.add(kind);
  }

  get offers(): { readonly prompts: boolean; readonly resources: boolean } {
    const { counts } = this;
    const mounts = this.#mounts();
    const has = (kind: 'prompts' | 'resources'): boolean =>
      counts[kind] > 0 || this.#declared.has(kind) || mounts.offers(kind);
    return { prompts: has('prompts'), resources: has('resources') };
  }

  /** The origin of the updates of a resource, which may be a mounted registry. */
  updateSource(uri: string, request: WatchRequest): UpdateSource | undefined {
    const mounted = this.#mounts().registryOf(uri);
    if (mounted) return { identity: mounted, start: () => mounted.watchResource(uri, request) };
    const subscribe = this.resources.subscriberOf(uri);
    return subscribe && { identity: subscribe, start: () => subscribe({ uri, session: sessionOf(request) }) };
  }

  /** The items of the tree of a view, apart from its tools. */
  treeItems(): readonly TreeItem[] {
    return [...this.prompts.items, ...this.resources.items, ...this.#mounts().treeItems()];
  }

  listPrompts(): readonly McpPrompt[] {
    return this.#mounts().list('prompts', this.prompts.list());
  }

  listResources(): readonly McpResource[] {
    return this.#mounts().list('resources', this.resources.list());
  }

  listResourceTemplates(): readonly McpResourceTemplate[] {
    return this.#mounts().list('resourceTemplates', this.resources.listTemplates());
  }

  async getPrompt(request: ExecuteRequest): Promise<GetPromptResult> {
    const { name, arguments: args = {} } = assertRequest('getPrompt', request);
    const run = (context: RequestContext) => this.prompts.get(name, args, context);
    return this.#mounts().getPrompt(request) ?? runWithContext(request, this.#services, run);
  }

  async readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> {
    const { uri } = assertRequest('readResource', request);
    const run = (context: RequestContext) => this.resources.read(uri, context);
    return this.#mounts().readResource(request) ?? runWithContext(request, this.#services, run);
  }

  complete(request: CompletionRequest, options: RequestOptions): Promise<Completion> {
    return (
      this.#mounts().complete(request, options) ?? complete(request, options, this.prompts, this.resources)
    );
  }
}
