import type { EndedCall } from 'toolfold/internal';
import type { LiveStatistics } from '../page-events.js';
import { AskedQuestions } from './asked-questions.js';
import { DurationHistogram } from './duration-histogram.js';
import { FailureGroups } from './failure-groups.js';
import { addressOf, faultOf, isFailed, messageOf, outcomeOf, redactorOf } from './live-call.js';
import type { Conceal } from './live-call.js';
import { RecentMap } from './recent-map.js';

/** Maximum number of tools with statistics, because `toolfold dev` may rename tools for hours. */
const MAX_TOOLS = 10_000;
const SHOWN_TOOLS = 200;
const SECONDS = 60;
/** A call is slow if it takes at least this many milliseconds and several times as long as other calls of its tool. */
const SLOW = 50;
const SLOW_FACTOR = 3;

interface ToolFigures {
  readonly durations: DurationHistogram;
  errors: number;
  tokens: number;
}

/** Statistics of all calls in a fixed amount of memory. */
export class CallStatistics {
  readonly #since = Date.now();
  readonly #tools = new RecentMap<string, ToolFigures>(MAX_TOOLS);
  readonly #failures = new FailureGroups();
  readonly #questions = new AskedQuestions();
  /** Durations per second, in a ring indexed by the second modulo its length. */
  readonly #seconds = Array.from({ length: SECONDS }, () => ({
    second: 0,
    durations: new DurationHistogram(),
  }));
  readonly #conceal: Conceal;
  #calls = 0;
  #errors = 0;

  constructor(conceal: Conceal = (text) => text) {
    this.#conceal = conceal;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Counts a call, and returns whether it took longer than most calls of its tool. */
  add(call: EndedCall, tokens: number): { readonly isSlow: boolean } {
    const { kind, address, at, ms } = call;
    this.#calls++;
    this.#countSecond(Math.floor((at + ms) / 1_000), ms);
    const isError = isFailed(call);
    if (isError) {
      this.#errors++;
      this.#failures.add({
        code: outcomeOf(call),
        address: `${kind === 'tool' ? '' : `${kind} `}${addressOf(call, this.#conceal)}`,
        message: messageOf(call, this.#conceal) ?? '',
        at,
        fault: () => faultOf(call, this.#conceal),
      });
    }
    // Ignore unknown tools and URIs, because a client may send any number of names.
    if (address === undefined || kind !== 'tool') return { isSlow: false };
    if (address === 'search_tools')
      this.#questions.add(call, (text) => this.#conceal(redactorOf(call).text(text)));
    const tool = this.#tools.use(address, () => ({
      durations: new DurationHistogram(),
      errors: 0,
      tokens: 0,
    }));
    const isSlow = ms >= Math.max(SLOW, SLOW_FACTOR * tool.durations.mean);
    tool.durations.add(ms);
    tool.tokens += tokens;
    if (isError) tool.errors++;
    return { isSlow };
  }

  read(now = Date.now()): LiveStatistics {
    const tools = Array.from(this.#tools.entries())
      .toSorted(([, one], [, other]) => other.durations.count - one.durations.count)
      .slice(0, SHOWN_TOOLS)
      .map(([address, { durations, errors, tokens }]) => {
        return {
          address,
          calls: durations.count,
          errors,
          ...quantilesOf(durations),
          tokens: Math.round(tokens / durations.count),
        };
      });
    const seconds = this.#readSeconds(Math.floor(now / 1_000));
    const quantiles = seconds.map((durations) => durations && quantilesOf(durations));
    return {
      since: this.#since,
      calls: this.#calls,
      errors: this.#errors,
      perSecond: seconds.map((durations) => durations?.count ?? 0),
      p50: quantiles.map((each) => each?.p50 ?? null),
      p95: quantiles.map((each) => each?.p95 ?? null),
      tools,
      failures: this.#failures.list(),
      questions: this.#questions.list(),
    };
  }

  #countSecond(second: number, ms: number): void {
    const slot = this.#seconds[second % SECONDS];
    if (!slot) return;
    if (slot.second !== second) Object.assign(slot, { second, durations: new DurationHistogram() });
    slot.durations.add(ms);
  }

  /** Returns the last 60 seconds, the oldest first. */
  #readSeconds(last: number): (DurationHistogram | undefined)[] {
    return Array.from({ length: SECONDS }, (_, index) => {
      const second = last - SECONDS + 1 + index;
      const slot = this.#seconds[second % SECONDS];
      return slot?.second === second ? slot.durations : undefined;
    });
  }
}

function quantilesOf(durations: DurationHistogram): { readonly p50: number; readonly p95: number } {
  const [p50 = 0, p95 = 0] = durations.quantiles([0.5, 0.95]);
  return { p50: round(p50), p95: round(p95) };
}

/** Three digits suffice, because the quantiles are less exact. */
function round(ms: number): number {
  return Number(ms.toPrecision(3));
}
