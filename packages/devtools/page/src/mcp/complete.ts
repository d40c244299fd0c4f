import { isRecord } from '../sections/try/form/json.js';
import type { Fields } from './call.js';
import type { Endpoint } from './endpoint.js';
import { withConnection } from './pool.js';

export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompletionRequest {
  readonly ref: CompletionRef;
  readonly argument: { readonly name: string; readonly value: string };
  /** The other arguments, which may affect the suggestions. */
  readonly others: Readonly<Record<string, string>>;
}

const MAX_VALUES = 100;

/** Requests suggestions for an argument. Resolves to an empty list if the server has none or the request fails. */
export async function complete(
  endpoint: Endpoint,
  { ref, argument, others }: CompletionRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const result = await withConnection<Fields>(endpoint, (connection) =>
    connection.client.getServerCapabilities()?.completions
      ? connection.request(
          'completion/complete',
          { ref, argument, ...(Object.keys(others).length > 0 ? { context: { arguments: others } } : {}) },
          signal,
        )
      : {},
  );
  const values = isRecord(result['completion']) ? result['completion']['values'] : undefined;
  if (!Array.isArray(values)) return [];
  return values.filter((value): value is string => typeof value === 'string').slice(0, MAX_VALUES);
}
