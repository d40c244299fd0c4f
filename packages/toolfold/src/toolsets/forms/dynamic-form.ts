import type { ToolContext } from '../../define/tool-definition.js';
import type { CompiledSpec } from '../../compile/compiled-tool.js';
import { ErrDuplicateName, ErrUnknownToolset } from '@toolfold/schema/errors';
import { requestOf } from '../../engine/request-context.js';
import type { RequestOptions } from '../../engine/request.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { View } from '../../views/view.js';
import { assertToolset } from '../tool-set-catalog.js';
import type { dynamicToolNames } from '../tool-set-catalog.js';
import type { Toolsets } from '../toolsets.js';
import { internalsOf } from '../../registry/any-registry.js';

const toolsetInput = {
  type: 'object',
  properties: {
    toolset: { type: 'string', description: 'The key of a toolset, as list_toolsets returns it' },
  },
  required: ['toolset'],
} as const;
const noInput = { type: 'object', properties: {} } as const;
const changesSession = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;

type Call = { readonly input: { readonly toolset: string }; readonly context: ToolContext };

interface SessionViews {
  reachableFor(request: RequestOptions): readonly string[];
  /** The tools that the caller would see if these toolsets were active. */
  toolsOf(keys: readonly string[], request: RequestOptions): Promise<View>;
  viewFor(request: RequestOptions): View | Promise<View>;
}

/** The tools with which a 2025 client lists, enables and disables toolsets in its own session. */
export function createDynamicTools(
  registry: AnyRegistry,
  toolsets: Toolsets,
  exposure: SessionViews,
): readonly CompiledSpec[] {
  const sessionOf = (context: ToolContext) => {
    const request = requestOf(context);
    const enabled = request?.enabledToolsets;
    if (!enabled) throw new ErrUnknownToolset('Toolsets can be enabled and disabled only in a session.');
    const reachable = exposure.reachableFor(request);
    /** Drops toolsets that the caller cannot use or that no longer exist, so that they are neither named nor counted. */
    const activeIn = (all: readonly string[]): readonly string[] =>
      all.filter((key) => reachable.includes(key));
    const active = activeIn(enabled.current ?? toolsets.startup);
    const resolved = request.session ?? toolsets.contextOf();
    return { request, enabled, active, activeIn, reachable, resolved };
  };

  /** Whether a toolset has tools for the caller. A toolset that is not loaded yet counts as shown, and is not loaded for this. */
  const isShown = async (key: string, request: RequestOptions): Promise<boolean> =>
    !toolsets.tools.isLoaded(key) || toolsOf(await exposure.toolsOf([key], request), key).length > 0;

  const tools = [
    {
      name: 'list_toolsets',
      description: 'Lists the toolsets of this server and which of them are active.',
      readOnly: true,
      inputSchema: noInput,
      handler: async ({ context }: Call) => {
        const { active, reachable, request } = sessionOf(context);
        const shown = await Promise.all(reachable.map((key) => isShown(key, request)));
        return {
          toolsets: toolsets.describe(
            active,
            reachable.filter((_, at) => shown[at]),
          ),
        };
      },
    },
    {
      name: 'describe_toolset',
      description: 'Describes a toolset and lists its tools, without enabling it.',
      readOnly: true,
      inputSchema: toolsetInput,
      handler: async ({ input, context }: Call) => {
        const { active, request, reachable } = sessionOf(context);
        assertToolset(input.toolset, reachable, 'the request');
        const [summary] = toolsets.describe(active, [input.toolset]);
        return {
          ...summary,
          tools: toolsOf(await exposure.toolsOf([input.toolset], request), input.toolset),
        };
      },
    },
    {
      name: 'enable_toolset',
      description: 'Makes the tools of a toolset available in this session. The list of tools changes.',
      ...changesSession,
      inputSchema: toolsetInput,
      handler: async ({ input: { toolset }, context }: Call) => {
        const { enabled, request, activeIn, reachable, resolved } = sessionOf(context);
        assertToolset(toolset, reachable, 'the request');
        // Load the toolset before the change is queued, so that other changes of the session do not wait for the loader.
        const added = toolsOf(await exposure.toolsOf([toolset], request), toolset);
        let hasChanged = false;
        let active: readonly string[] = [];
        await enabled.change(async (current) => {
          const all = current ?? toolsets.startup;
          const before = activeIn(all);
          active = await toolsets.enable(toolset, before, resolved, reachable);
          hasChanged = active !== before;
          if (!hasChanged) return current;
          const changed = [...all, toolset];
          // A toolset whose tools cannot be listed beside the active ones is not enabled.
          const view = await exposure.viewFor({
            ...request,
            enabledToolsets: { ...enabled, current: changed },
          });
          const isListed = view.groups.some(({ key }) => key === toolset);
          if (added.length > 0 && !isListed)
            throw new ErrDuplicateName(`"${toolset}" has tools whose names are taken.`);
          // A cancelled call must not change the session, because its client would not learn of the change.
          context.signal.throwIfAborted();
          return changed;
        });
        return { toolset, hasChanged, active, tools: added.map(({ name }) => name) };
      },
    },
    {
      name: 'disable_toolset',
      description: 'Removes the tools of a toolset from this session. The list of tools changes.',
      ...changesSession,
      inputSchema: toolsetInput,
      handler: async ({ input: { toolset }, context }: Call) => {
        const { enabled, activeIn } = sessionOf(context);
        let active: readonly string[] = [];
        await enabled.change((current) => {
          const all = current ?? toolsets.startup;
          active = toolsets.disable(toolset, activeIn(all));
          context.signal.throwIfAborted();
          return all.filter((key) => key !== toolset);
        });
        return { toolset, active };
      },
    },
    {
      name: 'list_tools',
      description: 'Lists the tools that are available in this session, by toolset.',
      readOnly: true,
      inputSchema: noInput,
      handler: async ({ context }: Call) => {
        const { active, request } = sessionOf(context);
        return { tools: allOf(await exposure.toolsOf(active, request)) };
      },
    },
  ] satisfies { readonly name: (typeof dynamicToolNames)[number]; readonly [more: string]: unknown }[];
  return Object.freeze(tools.map((tool) => internalsOf(registry).tools.compileItem(tool as never)));
}

interface ToolLine {
  readonly name: string;
  readonly description: string;
}

function toolsOf({ groups, tools }: View, toolset: string): ToolLine[] {
  const names = groups.find(({ key }) => key === toolset)?.tools ?? [];
  return names.map((name) => toLine(name, tools));
}

/** The tools of a view, with the toolsets that each belongs to. */
function allOf({ groups, tools }: View): (ToolLine & { readonly toolsets: readonly string[] })[] {
  const members = groups.map(({ key, tools: names }) => ({ key, names: new Set(names) }));
  return [...tools.keys()].map((name) => ({
    ...toLine(name, tools),
    toolsets: members.filter(({ names }) => names.has(name)).map(({ key }) => key),
  }));
}

function toLine(name: string, tools: View['tools']): ToolLine {
  return { name, description: firstSentence(tools.get(name)?.tool.description ?? '') };
}

const MAX_LENGTH = 160;

/** The first sentence of a description, in one line of at most 160 characters. */
function firstSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const end = line.search(/[.!?](?= [A-Z])/);
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  if (sentence.length <= MAX_LENGTH) return sentence;
  const cut = sentence.slice(0, MAX_LENGTH);
  const space = cut.lastIndexOf(' ');
  return `${space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut}…`;
}
