import { useEffect, useState } from 'preact/hooks';
import type { SearchReport } from '../../../../src/page-api.js';
import { api, ApiError } from '../../api/client.js';
import { revision } from '../../api/stores.js';

const WAIT_MS = 150;

interface SearchState {
  /** The report of the last answered query. Stays while the next one is in flight. */
  readonly report: SearchReport | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
}

const nothing: SearchState = { report: undefined, error: undefined, isLoading: false };

/** Searches a moment after the query stops changing. */
export function useSearch(query: string, limit: number, tool: string | undefined): SearchState {
  const [state, setState] = useState<SearchState>(nothing);
  const asked = query.trim();
  const shown = revision.value;
  useEffect(() => {
    if (asked === '') {
      setState(nothing);
      return undefined;
    }
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => {
      api.search(asked, limit, controller.signal, tool).then(
        (report) => {
          if (!controller.signal.aborted) setState({ report, error: undefined, isLoading: false });
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          const problem = error instanceof ApiError ? error : new ApiError(String(error));
          setState({ report: undefined, error: problem, isLoading: false });
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, limit, tool, shown]);
  return state;
}
