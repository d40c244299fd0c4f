export type Message = Readonly<Record<string, unknown>>;

/** The messages of a response as they arrive, from a stream of events or one object. */
export async function* readMessages(response: Response): AsyncGenerator<Message> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text) as Message;
    return;
  }
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    pending += decoder.decode(chunk, { stream: true });
    const events = pending.split(/\r?\n\r?\n/);
    pending = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      if (data !== '') yield JSON.parse(data) as Message;
    }
  }
}
