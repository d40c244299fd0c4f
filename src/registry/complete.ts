import type { Prompts, SomeSuggestions, Suggestions } from '../define/prompts.js';
import type { RequestOptions } from '../engine/request.js';
import { neverSignal, sessionOf } from '../engine/request-context.js';
import type { Resources } from '../define/resources.js';

/** A request for completions of an argument. */
export interface CompletionRequest {
  /** The prompt by its name, or the resource template by its `uriTemplate`. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  /** The argument that the user is typing. */
  readonly argument: {
    /** The name of the argument or of the template variable. */
    readonly name: string;
    /** The text that was typed so far. */
    readonly value: string;
  };
  /** The values of other arguments. */
  readonly context?: {
    /** The values by the names of arguments or variables. */
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

/** Suggested values. */
export interface Completion {
  /** At most 100, in the order in which they were suggested. */
  values: string[];
  /** Total number of suggestions. */
  total: number;
  /** Whether there are more suggestions than `values` holds. */
  hasMore: boolean;
}

/** Maximum number of suggestions that MCP allows in one answer. */
const MAX_COMPLETIONS = 100;

function isList(suggested: Suggestions): suggested is readonly string[] {
  return Array.isArray(suggested);
}

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
  const {
    values,
    total = values.length,
    hasMore,
  }: SomeSuggestions = isList(suggested) ? { values: suggested } : suggested;
  return {
    values: values.slice(0, MAX_COMPLETIONS),
    total,
    hasMore: values.length > MAX_COMPLETIONS || (hasMore ?? total > values.length),
  };
}
