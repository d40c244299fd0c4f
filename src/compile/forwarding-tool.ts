import type { ToolfoldError } from '../errors.js';
import type { Tool } from '../model/tool.js';
import { freezeTool } from './tool-forms.js';
import type { CompiledTool } from './tool-definition-compiler.js';

type Arguments = Readonly<Record<string, unknown>>;

/** The call that a call of another tool stands for: which of these tools, and its arguments. */
export interface ForwardedCall {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly name: string;
  readonly arguments: Arguments;
}

/** Finds the call that arguments stand for, or says why they stand for none. */
export type Forward = (given: Arguments) => ForwardedCall | (() => ToolfoldError);

/** A tool that has no actions, and whose calls stand for calls of others. */
export function compileForwarding(tool: Tool, forward: Forward): CompiledTool {
  return freezeTool(tool, undefined, [], forward);
}
