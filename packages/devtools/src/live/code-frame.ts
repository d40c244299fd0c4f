import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clip } from '@toolfold/schema/internal';
import type { CodeFrame } from '../page-events.js';
import { placeIn } from './stack-place.js';
import type { StackPlace } from './stack-place.js';

const AROUND = 3;
const MAX_LINE = 200;
/** Larger files are bundles, whose lines help nobody. */
const MAX_BYTES = 1_000_000;

/** Reads the lines at the innermost place of a stack that is not in a dependency; `undefined` if there is no such source file. */
export function frameOf({ stack = '', message }: Error): CodeFrame | undefined {
  // The message may hold another stack, such as that of another server.
  for (const line of stack.slice(stack.indexOf(message) + message.length).split('\n')) {
    const place = placeIn(line);
    if (place && !/[\\/]node_modules[\\/]/.test(place.file)) return readFrame(place);
  }
  return undefined;
}

function readFrame({ file: place, line, column }: StackPlace): CodeFrame | undefined {
  try {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (!/\.[cm]?[jt]sx?$/.test(file) || statSync(file).size > MAX_BYTES) return undefined;
    const first = Math.max(1, line - AROUND);
    const lines = readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .slice(first - 1, line + AROUND);
    return { file, line, column, first, lines: lines.map((text) => clip(text, MAX_LINE)) };
  } catch {
    // The code may have been built on another machine.
    return undefined;
  }
}
