import { ErrProtocol } from 'toolfold/errors';
import { error as errorResult } from 'toolfold';
import type { CallToolResult, ToolRegistry } from 'toolfold';
import { overrideMembers } from './override-members.js';
import { INTERNALS, internalsOf } from 'toolfold/internal';

const NO_SERVER = 'Nothing can be called: the page shows a list of tools without a server.';

/** Returns a registry that can be listed but not called. */
export function withoutCalls(registry: ToolRegistry): ToolRegistry {
  return overrideMembers(registry, {
    executeTool: answer as ToolRegistry['executeTool'],
    getPrompt: reject,
    readResource: reject,
    complete: reject,
    [INTERNALS]: overrideMembers(internalsOf(registry), { callOrStartTask: answer }),
  });
}

function answer(): Promise<CallToolResult> {
  return Promise.resolve(errorResult(NO_SERVER));
}

function reject(): Promise<never> {
  return Promise.reject(new ErrProtocol(NO_SERVER));
}
