import { measure } from './measure.js';
import type { Measures } from './measure.js';
import { createShrinker, levels } from './shrink-value.js';

/** A cut that uses this much of the budget is good enough. */
const GOOD_USAGE = 0.98;
const MAX_TRIES = 24;
/** After this many characters of attempts, the largest cut found so far is good enough. */
const MAX_WORK = 512 * 1024;
/** JSON may be up to this many times as long as the text written from it, because TOON omits repeated keys. */
const MAX_GAIN = 4;

/** The limits that a value must fit into. */
export interface Frame<T> {
  /** Approximate number of characters of JSON that fit into the budget. The search starts from it. */
  readonly room: number;
  /** The fraction of the budget that a cut uses; at most 1 fits. */
  readonly usage: (part: T) => number;
  /** Whether the output schema accepts a cut. Default: every cut is accepted. */
  readonly accepts?: (part: T) => boolean;
}

/**
 * Finds a large cut of a value that fits and is accepted, or `undefined`. The work depends on the room, not on the size
 * of the value: everything beyond four times the room is neither measured nor written.
 */
export function fitValue<T>(
  whole: T,
  { room, usage, accepts = () => true }: Frame<T>,
): { value: T } | undefined {
  const wholeUsage = usage(whole);
  if (wholeUsage <= 1) return { value: whole };
  const measures: Measures = { sizes: new Map(), cuttable: new Set(), limit: room * MAX_GAIN };
  const size = measure(whole, measures);
  const above =
    size <= measures.limit ? { usage: wholeUsage, room: size } : { usage: MAX_GAIN, room: measures.limit };
  for (const level of levels) {
    const shrink = createShrinker(measures, level);
    const found = findLargest(above, (limit) => {
      const part = shrink(whole, limit);
      if (part.size > measures.limit) return { ...part, usage: Infinity };
      return { ...part, usage: part.value === whole ? wholeUsage : usage(part.value) };
    });
    if (found && accepts(found.value)) return found;
  }
  return undefined;
}

interface Attempt<T> {
  readonly value: T;
  readonly size: number;
  readonly usage: number;
}

/** Searches for the most room whose cut fits the budget, interpolating between the attempts so far. */
function findLargest<T>(
  whole: { readonly usage: number; readonly room: number },
  attempt: (room: number) => Attempt<T>,
): { value: T } | undefined {
  let best = { ...attempt(0), room: 0 };
  if (!(best.usage <= 1)) return undefined;
  let above = whole;
  let work = 0;
  for (let tries = 1; tries <= MAX_TRIES && best.usage < GOOD_USAGE && above.room - best.room > 1; tries++) {
    if (work > MAX_WORK && best.room > 0) break;
    const guess =
      tries % 3 === 0
        ? Math.sqrt((best.room + 1) * above.room)
        : best.room + ((above.room - best.room) * (1 - best.usage)) / (above.usage - best.usage);
    const room = Math.max(best.room + 1, Math.min(above.room - 1, Math.floor(guess) || 0));
    const tried = { ...attempt(room), room };
    work += tried.size;
    if (tried.usage <= 1) best = tried;
    else above = tried;
  }
  return best;
}
