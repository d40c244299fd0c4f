export interface ServerEvent {
  readonly id?: string;
  readonly retry?: number;
  /** The message; `undefined` for an event without one. */
  readonly message?: Record<string, unknown>;
}

/** The events of a response, one by one. */
export interface Events {
  /** Resolves to the next event; `undefined` at the end. */
  readonly next: () => Promise<ServerEvent | undefined>;
  /** Resolves to the next event with a message. */
  readonly nextMessage: () => Promise<Record<string, unknown> | undefined>;
  /** Resolves to all remaining events. */
  readonly rest: () => Promise<ServerEvent[]>;
  readonly leave: () => Promise<void>;
}

export function readEvents(response: Response): Events {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new Error(`No stream: ${response.status} ${String(response.headers.get('content-type'))}`);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  const next = async (): Promise<ServerEvent | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end !== -1) {
        const event = parse(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (event) return event;
        continue;
      }
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return undefined;
      buffer += decoder.decode(chunk.value, { stream: true });
    }
  };
  const nextMessage = async (): Promise<Record<string, unknown> | undefined> => {
    const event = await next();
    return event === undefined || event.message ? event?.message : nextMessage();
  };
  const rest = async (): Promise<ServerEvent[]> => {
    const events: ServerEvent[] = [];
    for (let event = await next(); event; event = await next()) events.push(event);
    return events;
  };
  return { next, nextMessage, rest, leave: async () => reader?.cancel() };
}

/** Comments are not events. */
function parse(text: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  if (fields.size === 0) return undefined;
  const [id, retry, data] = [fields.get('id'), fields.get('retry'), fields.get('data')];
  return {
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retry: Number(retry) }),
    ...(data ? { message: JSON.parse(data) as Record<string, unknown> } : {}),
  };
}
