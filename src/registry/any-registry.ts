import type { ToolRegistry } from './tool-registry.js';

/**
 * A registry, whatever its `context.app` is. Only what takes handlers and what gives the registry back depends on that,
 * and whoever serves a registry needs neither.
 */
export type AnyRegistry = Omit<ToolRegistry, 'register' | 'registerPrompt' | 'registerResource' | 'use'>;
