import type {
  ApiProblem,
  CodeDeclarations,
  CostReport,
  DiffReport,
  Finding,
  Form,
  ItemDetail,
  Listing,
  Others,
  Perspective,
  SearchReport,
  ServerInfo,
  ShownProfile,
  SurfaceCosts,
  Tree,
  TreeFindings,
  TreeTokens,
  ViewReport,
} from '../../../src/page-api.js';
import type { LiveStatistics } from '../../../src/page-events.js';
import { currentToken } from './token.js';

/** A request that failed or that the server answered with a problem. */
export class ApiError extends Error {
  readonly hint: string | undefined;
  readonly status: number;

  constructor(message: string, { hint, status = 0 }: { hint?: string | undefined; status?: number } = {}) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = new Headers(init.headers);
  const token = currentToken();
  headers.set('x-toolfold-token', token);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError('The server does not answer.', { hint: 'Is it still running?' });
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  // The token changed while the server checked this one, so retry.
  if (response.status === 401 && token !== currentToken()) return request(path, init);
  const { problem } = (body ?? {}) as Partial<ApiProblem>;
  throw new ApiError(problem?.message ?? `The server answered with status ${response.status}.`, {
    hint: problem?.hint,
    status: response.status,
  });
}

const get = <T>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<T> => {
  const text = new URLSearchParams(query).toString();
  return request<T>(text === '' ? path : `${path}?${text}`, signal ? { signal } : {});
};

/** Methods for the endpoints of the page's server. Each rejects with an `ApiError`. */
export const api = {
  server: (signal?: AbortSignal) => get<ServerInfo>('/api/server', {}, signal),
  tree: (signal?: AbortSignal) => get<Tree>('/api/tree', {}, signal),
  treeTokens: (signal?: AbortSignal) => get<TreeTokens>('/api/tree/tokens', {}, signal),
  treeFindings: (signal?: AbortSignal) => get<TreeFindings>('/api/tree/findings', {}, signal),
  item: (address: string, signal?: AbortSignal) => get<ItemDetail>('/api/item', { address }, signal),
  itemFindings: (address: string, signal?: AbortSignal) =>
    get<readonly Finding[]>('/api/item/findings', { address }, signal),
  listing: (address: string, form: Form, profile: ShownProfile, signal?: AbortSignal) =>
    get<Listing>('/api/listing', { address, form, profile }, signal),
  cost: (form: Form, profile: ShownProfile, signal?: AbortSignal) =>
    get<CostReport>('/api/cost', { form, profile }, signal),
  surfaces: (signal?: AbortSignal) => get<SurfaceCosts>('/api/surfaces', {}, signal),
  view: (perspective: Perspective, signal?: AbortSignal) =>
    request<ViewReport>('/api/view', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(perspective),
      ...(signal ? { signal } : {}),
    }),
  /** `tool` is explained even if the search does not find it. */
  search: (query: string, limit = 10, signal?: AbortSignal, tool?: string) =>
    get<SearchReport>(
      '/api/search',
      { query, limit: String(limit), ...(tool === undefined ? {} : { tool }) },
      signal,
    ),
  declarations: (signal?: AbortSignal) => get<CodeDeclarations>('/api/declarations', {}, signal),
  diff: (signal?: AbortSignal) => get<DiffReport>('/api/diff', {}, signal),
  others: (signal?: AbortSignal) => get<Others>('/api/others', {}, signal),
  live: (signal?: AbortSignal) => get<LiveStatistics>('/api/live', {}, signal),
};
