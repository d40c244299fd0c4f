import type { Prompts } from './prompts.js';
import type { Resources } from './resources.js';

/** What is being typed, and where. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

export interface Completion {
  values: string[];
  total: number;
  hasMore: boolean;
}

/** MCP allows no more suggestions in one answer. */
const MAX_COMPLETIONS = 100;

/** Suggestions for an argument of a prompt or a variable of a template, at most a hundred. */
export async function complete(
  { ref, argument, context }: CompletionRequest,
  prompts: Prompts,
  resources: Resources,
): Promise<Completion> {
  const completer =
    ref.type === 'ref/prompt'
      ? prompts.completer(ref.name, argument.name)
      : resources.completer(ref.uri, argument.name);
  const values = (await completer?.(argument.value, { arguments: context?.arguments ?? {} })) ?? [];
  return {
    values: values.slice(0, MAX_COMPLETIONS),
    total: values.length,
    hasMore: values.length > MAX_COMPLETIONS,
  };
}
