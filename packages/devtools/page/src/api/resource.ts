import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ApiError } from './client.js';
import { revision } from './stores.js';

export interface Resource<T> {
  /** Kept while the value reloads, and dropped when `deps` change. */
  readonly value: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<T> {
  readonly key: string;
  readonly value?: T | undefined;
  readonly error?: ApiError | undefined;
  readonly isLoading: boolean;
}

/** Loads a value, and reloads it when `deps` change or the server reports a change. Aborts the pending request. Compares `deps` as JSON. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
): Resource<T> {
  const key = JSON.stringify(deps);
  const shown = revision.value;
  const [attempt, reload] = useReducer((count: number) => count + 1, 0);
  const [state, setState] = useState<State<T>>({ key, isLoading: true });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    latest.current(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ key, value, isLoading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = error instanceof ApiError ? error : new ApiError(String(error));
        setState((before) => ({
          key,
          value: before.key === key ? before.value : undefined,
          error: problem,
          isLoading: false,
        }));
      },
    );
    return () => controller.abort();
  }, [key, shown, attempt]);
  // Until the effect runs, the state belongs to the previous value.
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent || state.isLoading,
    reload: () => reload(undefined),
  };
}
