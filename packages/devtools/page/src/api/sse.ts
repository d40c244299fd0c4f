interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Splits chunks of text into lines. `isLast` also ends the last line at a carriage return. Joins chunks only at the end of a line,
 * because an answer may be a single line of many megabytes.
 */
export function createLineReader(): (piece: string, isLast?: boolean) => readonly string[] {
  let pieces: string[] = [];
  return (piece, isLast = false) => {
    const isOpen = !/[\r\n]/.test(piece) && pieces.at(-1)?.endsWith('\r') !== true;
    pieces.push(piece);
    if (isOpen && !isLast) return [];
    // A final carriage return may be half of a line end, so keep it for the next chunk.
    const lines = pieces.join('').split(isLast ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
    pieces = [lines.pop() ?? ''];
    return lines;
  };
}

/** Parses server-sent events from decoded chunks. */
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
