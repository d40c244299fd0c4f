import type { Fault, LiveStatistics } from '../page-events.js';
import { clip } from '@toolfold/schema/internal';
import { RecentMap } from './recent-map.js';

type Failure = LiveStatistics['failures'][number];
type FailureGroup = { -readonly [Field in keyof Failure]: Failure[Field] } & { faultAt: number };

const MAX_GROUPS = 100;
const MAX_MESSAGE = 500;
/** Milliseconds between two reads of a stack in a group, because reading one can take as long as many calls. */
const FAULT_PAUSE = 1_000;

/** Groups errors by code, address and message. Ignores numbers and ids in messages. */
export class FailureGroups {
  readonly #groups = new RecentMap<string, FailureGroup>(MAX_GROUPS);

  add(failed: {
    readonly code: string;
    readonly address: string;
    readonly message: string;
    readonly at: number;
    /** Reads the error in the author's code. Only called when the group needs it. */
    readonly fault: () => Fault;
  }): void {
    const { code, address, at, fault } = failed;
    const message = clip(failed.message, MAX_MESSAGE);
    const pattern = patternOf(message);
    const key = JSON.stringify([code, address, pattern]);
    const group = this.#groups.use(key, () => ({
      code,
      address,
      message,
      count: 0,
      first: at,
      last: at,
      faultAt: -Infinity,
    }));
    group.count++;
    group.last = at;
    if (group.message !== message) group.message = pattern;
    if (at - group.faultAt < FAULT_PAUSE) return;
    group.faultAt = at;
    Object.assign(group, { fault: undefined, frame: undefined }, fault());
  }

  list(): Failure[] {
    return this.#groups.latest().map((group) => {
      const { faultAt: _, ...failure } = group;
      return failure;
    });
  }
}

const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
/** Matches words of eight or more characters with a digit, such as `usr_1a2b3c` and hexadecimal ids. */
const id = /\b(?=[\w-]*\d)[\w-]{8,}\b/g;
const number = /\d+(?:[.,:]\d+)*/g;

/** Replaces numbers and ids in a message by `#`. */
export function patternOf(message: string): string {
  return message.replace(uuid, '#').replace(id, '#').replace(number, '#');
}
