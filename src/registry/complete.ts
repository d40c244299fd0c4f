import type { Prompts } from '../define/prompts.js';
import type { Resources } from '../define/resources.js';

/** What is being typed, and where. */
export interface CompletionRequest {
  /** The prompt, or the resource template by its `uriTemplate`. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  /** What is being typed. */
  readonly argument: {
    /** The argument of the prompt or the variable of the template. */
    readonly name: string;
    /** What is there so far. */
    readonly value: string;
  };
  /** What was filled in before. */
  readonly context?: {
    /** By the names of arguments or variables. */
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

/** Suggestions for what is being typed. */
export interface Completion {
  /** At most 100, in the order in which they were suggested. */
  values: string[];
  /** How many there are in all. */
  total: number;
  /** Whether there are more than are given. */
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
