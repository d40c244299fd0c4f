import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CodeSettings } from '@toolfold/code';
import type { CallToolResult, ExecuteRequest, ToolRegistryOptions, View } from 'toolfold';
import { createCodeView } from '../../toolfold/test/form-views.js';
import { createScriptedSandbox } from './scripted-sandbox.js';
import type { Script, ScriptedSandbox } from './scripted-sandbox.js';

interface CodeServerOptions {
  readonly tools: readonly unknown[];
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly code?: CodeSettings;
  readonly registry?: ToolRegistryOptions<unknown>;
  /** Mounts, middleware and the like. */
  readonly prepare?: (registry: ToolRegistry) => void;
  /** The view whose actions code can call. Default: all actions. */
  readonly view?: (registry: ToolRegistry) => View;
}

export interface CodeServer {
  readonly registry: ToolRegistry;
  /** The view with `run_code`. */
  readonly view: View;
  readonly sandbox: ScriptedSandbox;
  run(
    code: string,
    request?: Omit<ExecuteRequest, 'name' | 'arguments'> & { readonly dryRun?: boolean },
  ): Promise<CallToolResult>;
}

/** A registry with some tools, and a view in the code form for scripts that call them. */
export function createCodeServer(options: CodeServerOptions): CodeServer {
  const registry = new ToolRegistry({ rateLimiter: false, ...options.registry } as object);
  const described = options.tools.map((tool) =>
    tool instanceof GroupedToolBuilder
      ? tool
      : { description: 'Does something', inputSchema: {}, ...(tool as object) },
  );
  registry.register(...(described as unknown as readonly never[]));
  options.prepare?.(registry);
  const inner = options.view?.(registry) ?? registry.view();
  const sandbox = createScriptedSandbox(options.scripts ?? {});
  const view = createCodeView(registry, inner, { code: { sandbox, ...options.code } });
  return {
    registry,
    view,
    sandbox,
    run: (code, { dryRun, ...request } = {}) =>
      registry.executeTool(
        { ...request, name: 'run_code', arguments: { code, ...(dryRun === undefined ? {} : { dryRun }) } },
        view,
      ),
  };
}
