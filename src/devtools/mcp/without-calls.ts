import { ErrProtocol } from '../../errors.js';
import { error as errorResult } from '../../index.js';
import type { CallToolResult, ToolRegistry } from '../../index.js';
import { overrideMembers } from './override-members.js';

const NO_SERVER = 'Nothing can be called: the page shows a list of tools without a server.';

/** A registry whose lists can be read, but whose items cannot be used. */
export function withoutCalls(registry: ToolRegistry): ToolRegistry {
  return overrideMembers(registry, {
    executeTool: answer as ToolRegistry['executeTool'],
    callOrStartTask: answer,
    getPrompt: reject,
    readResource: reject,
    complete: reject,
  });
}

function answer(): Promise<CallToolResult> {
  return Promise.resolve(errorResult(NO_SERVER));
}

function reject(): Promise<never> {
  return Promise.reject(new ErrProtocol(NO_SERVER));
}
