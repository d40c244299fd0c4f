export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Splits a text that arrives in pieces into lines. `isLast` ends the last line at a carriage return, too. Pieces are joined only when
 * a line has ended, because an answer may be one line of many megabytes.
 */
export function createLineReader(): (piece: string, isLast?: boolean) => readonly string[] {
  let pieces: string[] = [];
  return (piece, isLast = false) => {
    const isOpen = !/[\r\n]/.test(piece) && pieces.at(-1)?.endsWith('\r') !== true;
    pieces.push(piece);
    if (isOpen && !isLast) return [];
    // A carriage return at the end may be the first half of a line end, so it waits for the next piece.
    const lines = pieces.join('').split(isLast ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
    pieces = [lines.pop() ?? ''];
    return lines;
  };
}

/** Splits a stream of server-sent events. Feed it with the decoded chunks as they arrive. */
export function createSseParser(onEvent: (event: ServerSentEvent) => void): (chunk: string) => void {
  const readLines = createLineReader();
  let event = '';
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ event: event === '' ? 'message' : event, data: data.join('\n') });
      event = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  };
  return (chunk) => {
    for (const line of readLines(chunk)) readLine(line);
  };
}
