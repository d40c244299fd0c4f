import { fromPrompt, fromResource } from '../compile/from-model.js';
import type { GetPromptResult, PromptDefinition, Prompts } from '../define/prompts.js';
import type { ReadResourceResult, ResourceDefinition, Resources } from '../define/resources.js';
import type { RequestContext } from '../define/tool-definition.js';
import { assertRequest } from '../engine/assert-request.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import { runWithContext, sessionOf } from '../engine/request-context.js';
import type { Services } from '../engine/services.js';
import { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { internalsOf } from './any-registry.js';
import type { ReplacedItems } from './any-registry.js';
import { complete } from './complete.js';
import type { Completion, CompletionRequest } from './complete.js';
import type { Mounts } from './mount/mounts.js';
import type { UpdateSource, WatchRequest } from './watch/resource-watches.js';

type Kind = 'prompts' | 'resources';

/** Joins the prompts and resources of a registry with those of its mounted registries, which come after them. */
export function joinItems(prompts: Prompts, resources: Resources, mounts: Mounts, services: Services) {
  /** Kinds of items that the registry had, or may get, although it has none now. */
  const declared = new Set<Kind>();
  const countOf = (kind: Kind): number =>
    kind === 'prompts'
      ? prompts.size + mounts.count('prompts')
      : resources.size + mounts.count('resources', 'resourceTemplates');
  const isOffered = (kind: Kind): boolean => countOf(kind) > 0 || declared.has(kind) || mounts.offers(kind);
  return {
    /** `given` is a definition, or a prompt of the model with its `handler`. */
    addPrompt: (given: object, handler: unknown): void => {
      const prompt = given instanceof Prompt ? fromPrompt(given, handler) : (given as PromptDefinition);
      mounts.assertFree('prompts', prompt.name);
      prompts.add(prompt);
      mounts.forgetLists();
    },
    /** `given` is a definition, or a resource or template of the model with its `handler`. */
    addResource: (given: object, handler: unknown): void => {
      const isModel = given instanceof Resource || given instanceof ResourceTemplate;
      const resource = isModel ? fromResource(given, handler) : (given as ResourceDefinition);
      mounts.assertFree('resources', resource.uri);
      mounts.assertFree('resourceTemplates', resource.uriTemplate);
      resources.add(resource);
      mounts.forgetLists();
    },
    countItems: () => ({ prompts: countOf('prompts'), resources: countOf('resources') }),
    /** Replaces the registry's own prompts or resources. Clients that know the methods of a kind can use them from then on. */
    replace: (given: ReplacedItems): void => {
      if (given.prompts) prompts.replace(given.prompts);
      if (given.resources) resources.replace(given.resources);
      for (const kind of ['prompts', 'resources'] as const) if (given[kind]?.length) declared.add(kind);
      mounts.forgetLists();
    },
    /** Serves the methods of a kind even while there are no items of it. */
    declare: (kind: Kind) => declared.add(kind),
    offers: () => ({ prompts: isOffered('prompts'), resources: isOffered('resources') }),
    /** Finds what reports the changes of a resource: a mounted registry, or `subscribe` of its definition. */
    updateSource: (uri: string, request: WatchRequest): UpdateSource | undefined => {
      const mounted = mounts.registryOf(uri);
      if (mounted)
        return { identity: mounted, start: () => internalsOf(mounted).watchResource(uri, request) };
      const subscribe = resources.subscriberOf(uri);
      return (
        subscribe && { identity: subscribe, start: () => subscribe({ uri, session: sessionOf(request) }) }
      );
    },
    treeItems: () => [...prompts.items, ...resources.items, ...mounts.treeItems()],
    listPrompts: () => mounts.list('prompts', prompts.list()),
    listResources: () => mounts.list('resources', resources.list()),
    listResourceTemplates: () => mounts.list('resourceTemplates', resources.listTemplates()),
    getPrompt: async (request: ExecuteRequest): Promise<GetPromptResult> => {
      const { name, arguments: args = {} } = assertRequest('getPrompt', request);
      const run = (context: RequestContext) => prompts.get(name, args, context);
      return mounts.getPrompt(request) ?? runWithContext(request, services, run);
    },
    readResource: async (request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> => {
      const { uri } = assertRequest('readResource', request);
      const run = (context: RequestContext) => resources.read(uri, context);
      return mounts.readResource(request) ?? runWithContext(request, services, run);
    },
    complete: (request: CompletionRequest, options: RequestOptions): Promise<Completion> =>
      mounts.complete(request, options) ?? complete(request, options, prompts, resources),
  };
}
