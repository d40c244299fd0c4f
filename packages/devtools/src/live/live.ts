import { runInSlices } from '@toolfold/search/internal';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { eachInSteps } from '@toolfold/analysis/internal';
import type { EndedCall } from 'toolfold/internal';
import { ApiFailure } from '../http/answers.js';
import type { LiveCall, LiveStatistics } from '../page-events.js';
import type { PageSource } from '../page-source.js';
import { CallSample, ranks } from './call-sample.js';
import type { Rank } from './call-sample.js';
import { CallStatistics } from './call-statistics.js';
import { estimateResult } from './estimate-result.js';
import { EventStream } from './event-stream.js';
import { isFailed, isOfPage, toLiveCall } from './live-call.js';

/** Milliseconds before a batch of calls is sent, and between two batches. */
const BATCH_MS = 100;
/** Maximum number of sampled calls per batch, separately for the page and for other clients. */
const BATCH_CALLS = 25;
const STATISTICS_MS = 1_000;
/** Number of recent calls that a newly connected page gets. */
const RECENT_CALLS = 200;
/** Each open tab has a stream. */
const MAX_STREAMS = 50;

export interface Live {
  /** Handles `GET /api/events`: streams events until the page disconnects. Each stream begins with the recent calls. */
  events(request: IncomingMessage, response: ServerResponse): void;
  /** Result of `GET /api/live`. */
  statistics(): LiveStatistics;
  /** Stops observing calls and ends all streams. */
  close(): void;
}

interface LiveOptions {
  /** Number of changes so far, for the `change` event. */
  readonly revision: () => number;
}

interface SampledCall {
  readonly call: EndedCall;
  readonly id: number;
  readonly tokens: number;
}

/** Starts observing calls, even while no page is connected. */
export function createLive(source: PageSource, { revision }: LiveOptions): Live {
  const conceal = (text: string): string => source.redact?.(text) ?? text;
  const statistics = new CallStatistics(conceal);
  // Sample the page's calls separately, so that they do not displace errors of other clients, and vice versa.
  const ofPage = new CallSample<SampledCall>(BATCH_CALLS);
  const ofOthers = new CallSample<SampledCall>(BATCH_CALLS);
  const streams = new Set<EventStream>();
  /** Streams that have not received the recent calls yet. */
  const newcomers = new Set<EventStream>();
  const ending = new AbortController();
  let recent: LiveCall[] = [];
  let seen = 0;

  /**
   * Sends the calls since the last batch, and the statistics if they are due. Both describe the same moment: the page adds later
   * calls to the statistics, so a counted call must not arrive later.
   */
  const send = async (areFiguresDue: boolean): Promise<void> => {
    const sample = [...ofPage.take(), ...ofOthers.take()].toSorted((one, other) => one.id - other.id);
    const count = seen;
    seen = 0;
    const welcomed = new Set(newcomers);
    newcomers.clear();
    const figures = areFiguresDue || welcomed.size > 0 ? statistics.read() : undefined;
    // Prepare only sampled calls for the page, because this takes longer than counting a call.
    const calls = await runInSlices(
      eachInSteps(sample, ({ call, id, tokens }) => toLiveCall(call, id, tokens, conceal)),
      ending.signal,
    );
    recent = [...recent, ...calls].slice(-RECENT_CALLS);
    for (const stream of streams) {
      const isNew = welcomed.has(stream);
      if (newcomers.has(stream)) continue;
      if (isNew) stream.sendCalls(recent.length, recent);
      else if (count > 0) stream.sendCalls(count, calls);
      if (figures && (isNew || areFiguresDue)) stream.sendStatistics(figures);
    }
  };
  const sender = createSender(send);
  const batch = createDelay(BATCH_MS, () => sender.start(false));
  const totals = createDelay(STATISTICS_MS, () => sender.start(streams.size > 0));

  const stopObserving = source.observe((call) => {
    const tokens = estimateResult(call.result);
    const { isSlow } = statistics.add(call, tokens);
    seen++;
    const sample = isOfPage(call) ? ofPage : ofOthers;
    sample.add(rankOf(call, isSlow), { call, id: statistics.calls, tokens });
    batch.start();
    totals.start();
  });
  const stopListening = source.onChange(() => {
    for (const stream of streams) stream.sendChange(revision());
  });

  return {
    events: (_request, response) => {
      if (streams.size >= MAX_STREAMS)
        throw new ApiFailure('Too many pages are open.', {
          status: 503,
          hint: 'Close some tabs of the page, and load it again.',
        });
      const stream = new EventStream(response, () => {
        streams.delete(stream);
        newcomers.delete(stream);
      });
      streams.add(stream);
      newcomers.add(stream);
      stream.sendChange(revision());
      sender.start(false);
    },
    statistics: () => statistics.read(),
    close: () => {
      stopObserving();
      stopListening();
      ending.abort();
      batch.stop();
      totals.stop();
      for (const stream of streams) stream.close();
      streams.clear();
    },
  };
}

/** Serialises `send`. A start during a run causes one more run after it. */
function createSender(send: (areFiguresDue: boolean) => Promise<void>): {
  start(areFiguresDue: boolean): void;
} {
  let isRunning = false;
  let isWanted = false;
  let areFiguresWanted = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      while (isWanted) {
        const areFiguresDue = areFiguresWanted;
        isWanted = areFiguresWanted = false;
        await send(areFiguresDue);
      }
    } catch {
      // The page was closed, or a call cannot be read. Later calls are sent as usual.
    } finally {
      isRunning = false;
    }
  };
  return {
    start: (areFiguresDue) => {
      isWanted = true;
      areFiguresWanted ||= areFiguresDue;
      if (!isRunning) void run();
    },
  };
}

function rankOf(call: EndedCall, isSlow: boolean): Rank {
  if (isFailed(call)) return ranks.failed;
  return isSlow ? ranks.slow : ranks.other;
}

/** Runs a function once, some time after the first `start` since its last run. Does not keep the process alive. */
function createDelay(ms: number, run: () => void): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        run();
      }, ms).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
