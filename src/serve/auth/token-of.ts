import type { EdgeRequest } from '../http/edge.js';

/** The credential that a request brings for what handlers do: its session's or the server's, else the verified one. */
export function tokenOf({ auth, session }: EdgeRequest): string | undefined {
  for (const token of [session?.context['accessToken'], auth?.['token']])
    if (typeof token === 'string' && token !== '') return token;
  return undefined;
}
