import { learnFloors } from './learn-floors.js';
import { measure } from './measure-value.js';
import type { Measures } from './measure-value.js';
import { createShrinker, levels } from './shrink-value.js';

const GOOD_LOAD = 0.98;
const MAX_TRIES = 24;
const MAX_ROUNDS = 16;

/**
 * Finds a large cut of a value whose load is at most 1 and that is accepted; nothing where there is none.
 * A cut that is not accepted teaches how much of a place must stay, and the search begins again.
 */
export function fitValue<T>(
  whole: T,
  load: (part: T) => number,
  accepts: (part: T) => boolean = () => true,
): { value: T } | undefined {
  const wholeLoad = load(whole);
  if (wholeLoad <= 1) return { value: whole };
  const measures: Measures = { sizes: new Map(), soft: new Set() };
  const floors = new Map<string, number>();
  const size = measure(whole, measures);
  for (const level of levels) {
    const shrink = createShrinker(measures, floors, level);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = findLargest(size, wholeLoad, (room) => {
        const value = shrink(whole, room);
        return { value, load: value === whole ? wholeLoad : load(value) };
      });
      if (!found) break;
      if (accepts(found.value)) return found;
      learnFloors(whole, found.value, accepts, floors);
    }
  }
  return undefined;
}

/** Looks for the most room whose cut is within the budget, guessing from the loads of those tried before. */
function findLargest<T>(
  size: number,
  load: number,
  attempt: (room: number) => { value: T; load: number },
): { value: T } | undefined {
  let best = { ...attempt(0), room: 0 };
  if (!(best.load <= 1)) return undefined;
  let above = { load, room: size };
  for (let tries = 1; tries <= MAX_TRIES && best.load < GOOD_LOAD && above.room - best.room > 1; tries++) {
    const guess =
      tries % 3 === 0
        ? Math.sqrt((best.room + 1) * above.room)
        : best.room + ((above.room - best.room) * (1 - best.load)) / (above.load - best.load);
    const room = Math.max(best.room + 1, Math.min(above.room - 1, Math.floor(guess) || 0));
    const tried = { ...attempt(room), room };
    if (tried.load <= 1) best = tried;
    else above = tried;
  }
  return best;
}
