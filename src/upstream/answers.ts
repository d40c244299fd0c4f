import type { Transport } from '@modelcontextprotocol/client';
import { ErrUpstreamLost } from '../errors.js';

/** How many answers to one server may be on their way at once. */
const MAX_UNREAD_ANSWERS = 200;

/**
 * Ends the connection to a server that asks on and on without reading the answers. Otherwise they would pile up here: in the
 * buffer of a pipe, or as one open HTTP request for each.
 */
export function boundAnswers<T extends Transport>(transport: T, name: string): T {
  const send = transport.send.bind(transport);
  let unread = 0;
  let lost: ErrUpstreamLost | undefined;
  const end = (): ErrUpstreamLost => {
    lost = new ErrUpstreamLost(
      `The server "${name}" does not read its answers: ${MAX_UNREAD_ANSWERS} of them are on their way.`,
      { details: { upstream: name } },
    );
    const { onerror } = transport;
    onerror?.(lost);
    // Closing takes a while, in which the server may ask on.
    transport.onmessage = () => {};
    transport.close().catch((error: Error) => onerror?.(error));
    return lost;
  };
  transport.send = async (message, options) => {
    if (lost) throw lost;
    if ('method' in message) return send(message, options);
    if (unread >= MAX_UNREAD_ANSWERS) throw end();
    unread++;
    try {
      await send(message, options);
    } finally {
      unread--;
    }
  };
  return transport;
}
