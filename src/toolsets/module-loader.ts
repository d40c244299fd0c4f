import { LRUCache } from 'lru-cache';
import type { AnyToolDefinition } from '../compile/read-definition.js';
import type { ToolContext } from '../compile/tool-definition.js';
import { ErrInvalidSessionContext, ErrModuleFailed } from '../errors.js';
import { collectCredentials } from '../guard/collect-credentials.js';
import { redactError, redactThrown } from '../guard/redact-error.js';
import { createRedactor } from '../guard/redaction.js';
import type { CompilableTool } from '../registry/tool-registry.js';
import { hashOf } from '../session/context-hash.js';
import { freezeContext } from '../session/frozen-context.js';
import type { ContextValues } from '../session/session-context.js';
import type { McpToolDefinition } from './tool-collector.js';

/** What a module gives: definitions, builders, or what was collected from code that registers tools. */
export type LoadedTool = AnyToolDefinition | CompilableTool | McpToolDefinition;

/** Gives the tools of a module, for a caller's context. It runs when a toolset with the module is first needed. */
export interface ModuleLoader {
  (context?: ContextValues): readonly LoadedTool[] | Promise<readonly LoadedTool[]>;
  /** Calls back when the tools of the module have become others, and are to be loaded again; the result stops that. */
  onChange?(listener: () => void): () => void;
  /** What it gives is for everybody: it gets no context, and its handlers look at whom they are called for. */
  readonly isShared?: boolean;
}

/** What a module gave for one context. */
export type LoadedItem = AnyToolDefinition | CompilableTool;

/** How many tools are kept; those that were not used for longest are loaded anew. */
const MAX_TOOLS = 50_000;

/** Runs each loader once for each distinct context. One that fails is run again when it is next asked for. */
export class LoadedModules {
  readonly #loaders: ReadonlyMap<string, ModuleLoader>;
  readonly #items = new WeakMap<object, LoadedItem>();
  readonly #loaded = new LRUCache<string, Promise<readonly LoadedItem[]>>({
    maxSize: MAX_TOOLS,
    // Before it is known how many there are.
    sizeCalculation: () => 1,
  });

  constructor(loaders: Readonly<Record<string, ModuleLoader>>) {
    this.#loaders = new Map(Object.entries(loaders));
  }

  /** Tools that are there already, in the form of loaded ones; the same for the same. */
  read(tools: readonly LoadedTool[]): readonly LoadedItem[] {
    return tools.map((tool) => {
      let item = this.#items.get(tool);
      if (!item) this.#items.set(tool, (item = toItem(tool)));
      return item;
    });
  }

  /** Calls back when what was loaded is out of date; the result stops that. */
  onChange(listener: () => void): () => void {
    const ends = [...this.#loaders].map(([module, loader]) =>
      loader.onChange?.(() => {
        const prefix = JSON.stringify([module]).slice(0, -1);
        for (const key of this.#loaded.keys()) if (key.startsWith(`${prefix},`)) this.#loaded.delete(key);
        listener();
      }),
    );
    return () => {
      for (const end of ends) end?.();
    };
  }

  load(module: string, context: ContextValues): Promise<readonly LoadedItem[]> {
    const loader = this.#loaders.get(module);
    const isShared = loader?.isShared === true;
    const key = JSON.stringify([module, isShared ? '' : hashOf(context)]);
    let loading = this.#loaded.get(key);
    if (!loading) {
      loading = run(module, loader, isShared ? {} : context);
      this.#loaded.set(key, loading);
      const isWanted = (): boolean => this.#loaded.peek(key) === loading;
      const weigh = (items: readonly unknown[]): void => {
        const size = Math.min(items.length + 1, MAX_TOOLS);
        if (!isWanted()) return;
        // The size of what is there already is not looked at again.
        this.#loaded.delete(key);
        this.#loaded.set(key, loading as Promise<readonly LoadedItem[]>, { size });
      };
      loading.then(weigh, () => {
        if (isWanted()) this.#loaded.delete(key);
      });
    }
    return loading;
  }
}

async function run(
  module: string,
  loader: ModuleLoader | undefined,
  context: ContextValues,
): Promise<readonly LoadedItem[]> {
  try {
    if (!loader) throw new TypeError('there is no such module');
    const tools = (await loader(freezeContext(context))) as unknown;
    if (!Array.isArray(tools)) throw new TypeError('the loader gave no list of tools');
    if (!tools.every((tool) => typeof tool === 'object' && tool !== null))
      throw new TypeError('the loader gave something that is no tool');
    return (tools as LoadedTool[]).map(toItem);
  } catch (thrown) {
    // Whatever it is called, a loader may have put it into a text.
    const redactor = createRedactor(collectCredentials({ credential: context }));
    if (thrown instanceof ErrModuleFailed || thrown instanceof ErrInvalidSessionContext)
      throw redactError(thrown, redactor);
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ErrModuleFailed(`Module "${module}" could not be loaded: ${redactor.text(reason)}`, {
      cause: redactThrown(thrown, redactor),
      details: { module },
    });
  }
}

/** What was collected takes its arguments bare, as the SDKs pass them. */
export function toItem(tool: LoadedTool): LoadedItem {
  if (!('inputSource' in tool)) return tool;
  const { name, title, description, inputSource, outputSchema, annotations, icons, meta, handler } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: inputSource,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(icons ? { icons } : {}),
    ...(meta ? { meta } : {}),
    metadata: { annotations: { ...annotations } },
    handler: ({ input, context }: { input: Readonly<Record<string, unknown>>; context: ToolContext }) =>
      handler(input, toExtra(context)),
  };
}

/** What handlers that were written for either SDK find beside their arguments. */
export function toExtra({ signal, caller, sdk, log }: ToolContext): object {
  if (typeof sdk === 'object' && sdk !== null) return sdk;
  const { auth, sessionId } = caller;
  return {
    signal,
    authInfo: auth,
    sessionId,
    mcpReq: { method: 'tools/call', signal, log },
    http: { authInfo: auth },
  };
}
