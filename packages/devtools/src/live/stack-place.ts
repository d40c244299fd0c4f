/** The place in a file that a line of a stack names. */
export interface StackPlace {
  /** The place as it is written: `/app/orders.ts:12:5`. */
  readonly text: string;
  /** A path, or a URL with the scheme `file`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Longer lines are no frames, and would take long to search. */
const MAX_FRAME = 1_000;

/** Reads a frame of a stack as V8 writes it; `undefined` for other lines and for code without a file. The page reads stacks, too. */
export function placeIn(frame: string): StackPlace | undefined {
  if (frame.length > MAX_FRAME) return undefined;
  const found = /^\s+at (?:.*?[ (])?((?:file:\/\/|\/|[A-Za-z]:[\\/]).+):(\d+):(\d+)\)?$/.exec(frame);
  if (!found) return undefined;
  const [, file = '', line, column] = found;
  return { text: `${file}:${line}:${column}`, file, line: Number(line), column: Number(column) };
}
