export interface LoggedEvent {
  readonly number: number;
  readonly json: string;
}

export interface LoggedEvents {
  /** All that came after the number that was asked for. */
  readonly events: readonly LoggedEvent[];
  /** What was said when the log was begun. */
  readonly about: string;
  /** Whether nothing more comes. */
  readonly isOver: boolean;
  /** Whether the process that writes it is alive, as far as is known. */
  readonly isAlive: boolean;
}

/**
 * What was sent on streams, for clients that come back to another process. It is bounded, and what is written may be
 * lost: whoever reads is told where something is missing.
 */
export interface EventLog {
  /** Begins a log, or says again that whoever writes it is alive. Never throws, as the next two. */
  begin(stream: string, about: string, leaseMs: number): void;
  /** Events are numbered from 1. */
  append(stream: string, number: number, json: string): void;
  /** Says that nothing more will come. */
  end(stream: string): void;
  /** What came after a number; `undefined` where not all of it is there. */
  read(stream: string, after: number): Promise<LoggedEvents | undefined>;
  /** Calls back when another process has written to a log that was read here. The result stops that. */
  onAppend(listener: (isMeant: (stream: string) => boolean) => void): () => void;
}

/** The events after a number, where none is missing. */
export function eventsAfter(
  events: readonly LoggedEvent[],
  after: number,
  last: number,
): readonly LoggedEvent[] | undefined {
  const wanted = events.filter(({ number }) => number > after);
  const isWhole = after <= last && wanted.length === last - after;
  return isWhole && wanted.every(({ number }, index) => number === after + 1 + index) ? wanted : undefined;
}
