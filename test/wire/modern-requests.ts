import type { Face } from './faces.js';
import { readEvents } from './events.js';
import { modernRequest } from './raw-request.js';

type Json = Record<string, unknown>;

export interface ModernAnswer {
  readonly status: number;
  /** The notifications before the answer. */
  readonly notifications: readonly Json[];
  readonly result: Json & { readonly resultType?: string };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly id: unknown;
}

/** A 2026-07-28 client without a connection: every request carries the whole envelope. */
export function createModernClient(
  face: Face,
  { capabilities = {}, user, meta = {} }: { capabilities?: Json; user?: string; meta?: Json } = {},
) {
  let id = 0;
  const send = (method: string, params: Json = {}, signal?: AbortSignal): Promise<Response> => {
    const headers = user === undefined ? {} : { 'x-user': user };
    return face.send({
      ...modernRequest(method, params, { id: ++id, capabilities, meta, headers }),
      ...(signal ? { signal } : {}),
    });
  };
  const request = async (method: string, params?: Json): Promise<ModernAnswer> => {
    const response = await send(method, params);
    const { status } = response;
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      return { ...((await response.json()) as ModernAnswer), status, notifications: [] };
    const messages = (await readEvents(response).rest()).flatMap(({ message }) => (message ? [message] : []));
    return { ...(messages.at(-1) as unknown as ModernAnswer), status, notifications: messages.slice(0, -1) };
  };
  return { send, request };
}
