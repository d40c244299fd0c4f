import type { Prompts, SomeSuggestions } from '../define/prompts.js';
import type { RequestOptions } from '../engine/request.js';
import { neverSignal, sessionOf } from '../engine/request-context.js';
import type { Resources } from '../define/resources.js';

/** The parameters of `completion/complete`. */
export interface CompletionRequest {
  /** Names the prompt, or the resource template by its `uriTemplate`. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  /** The argument that the user is typing. */
  readonly argument: {
    /** Names the argument or the template variable. */
    readonly name: string;
    /** Text that the user has typed so far. */
    readonly value: string;
  };
  /** What the user has entered before. */
  readonly context?: {
    /** Values of the other arguments or variables, by name. */
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

/** The answer to `completion/complete`. */
export interface Completion {
  /** At most 100 suggestions, in the order of the completer. */
  values: string[];
  /** Number of all suggestions, including those that are not sent. */
  total: number;
  /** Whether there are more suggestions than `values` holds. */
  hasMore: boolean;
}

/** MCP allows no more suggestions in one answer. */
const MAX_COMPLETIONS = 100;

/** Suggests at most 100 values for an argument of a prompt or a variable of a resource template. */
export async function complete(
  { ref, argument, context }: CompletionRequest,
  options: RequestOptions,
  prompts: Prompts,
  resources: Resources,
): Promise<Completion> {
  const completer =
    ref.type === 'ref/prompt'
      ? prompts.completer(ref.name, argument.name)
      : resources.completer(ref.uri, argument.name);
  const suggested =
    (await completer?.(argument.value, {
      arguments: context?.arguments ?? {},
      session: sessionOf(options),
      signal: options.signal ?? options.lazySignal?.() ?? neverSignal(),
    })) ?? [];
  const given = Array.isArray(suggested) ? { values: suggested } : suggested;
  const { values, total = values.length, hasMore } = given as SomeSuggestions;
  return {
    values: values.slice(0, MAX_COMPLETIONS),
    total,
    hasMore: values.length > MAX_COMPLETIONS || (hasMore ?? total > values.length),
  };
}
