import { measure } from './measure-value.js';
import type { Measures } from './measure-value.js';
import { createShrinker, levels } from './shrink-value.js';

const GOOD_LOAD = 0.98;
const MAX_TRIES = 24;
/** After this many characters of cuts, the largest cut found so far is good enough. */
const MAX_WORK = 512 * 1024;
/** JSON may be this many times as long as the text that is written from it: TOON leaves out repeated keys. */
const MAX_GAIN = 4;

/** What a value must fit into. */
export interface Frame<T> {
  /** About how many characters of JSON the budget has room for. The search starts from it. */
  readonly room: number;
  /** The part of the budget that a cut takes; at most 1 fits. */
  readonly load: (part: T) => number;
  /** Whether the output schema accepts a cut. Default: every cut is accepted. */
  readonly accepts?: (part: T) => boolean;
}

/**
 * Finds a large cut of a value that fits and is accepted, or `undefined`. The work depends on the room, not on the size
 * of the value: everything beyond four times the room is neither measured nor written.
 */
export function fitValue<T>(
  whole: T,
  { room, load, accepts = () => true }: Frame<T>,
): { value: T } | undefined {
  const wholeLoad = load(whole);
  if (wholeLoad <= 1) return { value: whole };
  const measures: Measures = { sizes: new Map(), soft: new Set(), limit: room * MAX_GAIN };
  const size = measure(whole, measures);
  const above =
    size <= measures.limit ? { load: wholeLoad, room: size } : { load: MAX_GAIN, room: measures.limit };
  for (const level of levels) {
    const shrink = createShrinker(measures, level);
    const found = findLargest(above, (limit) => {
      const part = shrink(whole, limit);
      if (part.size > measures.limit) return { ...part, load: Infinity };
      return { ...part, load: part.value === whole ? wholeLoad : load(part.value) };
    });
    if (found && accepts(found.value)) return found;
  }
  return undefined;
}

interface Attempt<T> {
  readonly value: T;
  readonly size: number;
  readonly load: number;
}

/** Looks for the most room whose cut is within the budget, guessing from the loads of those tried before. */
function findLargest<T>(
  whole: { readonly load: number; readonly room: number },
  attempt: (room: number) => Attempt<T>,
): { value: T } | undefined {
  let best = { ...attempt(0), room: 0 };
  if (!(best.load <= 1)) return undefined;
  let above = whole;
  let work = 0;
  for (let tries = 1; tries <= MAX_TRIES && best.load < GOOD_LOAD && above.room - best.room > 1; tries++) {
    if (work > MAX_WORK && best.room > 0) break;
    const guess =
      tries % 3 === 0
        ? Math.sqrt((best.room + 1) * above.room)
        : best.room + ((above.room - best.room) * (1 - best.load)) / (above.load - best.load);
    const room = Math.max(best.room + 1, Math.min(above.room - 1, Math.floor(guess) || 0));
    const tried = { ...attempt(room), room };
    work += tried.size;
    if (tried.load <= 1) best = tried;
    else above = tried;
  }
  return best;
}
