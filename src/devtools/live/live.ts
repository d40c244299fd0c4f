import type { IncomingMessage, ServerResponse } from 'node:http';
import { eachInSteps, inSlices } from '../../analysis/steps.js';
import type { EndedCall } from '../../engine/trace/call-listeners.js';
import { ApiFailure } from '../http/answers.js';
import type { LiveCall, LiveStatistics } from '../page-events.js';
import type { PageSource } from '../page-source.js';
import { CallSample, ranks } from './call-sample.js';
import type { Rank } from './call-sample.js';
import { CallStatistics } from './call-statistics.js';
import { estimateResult } from './estimate-result.js';
import { EventStream } from './event-stream.js';
import { isFailed, isOfPage, toLiveCall } from './live-call.js';

/** Milliseconds from a call to the event about it, and between two such events. */
const BATCH_MS = 100;
/** Calls of the page, and of others, in one event. */
const BATCH_CALLS = 25;
const STATISTICS_MS = 1_000;
/** Calls that a page gets when it connects. */
const RECENT_CALLS = 200;
/** Browsers open a stream for each tab. */
const MAX_STREAMS = 50;

/** The calls of a server, for the page. */
export interface Live {
  /**
   * Answers `GET /api/events` with a stream of events, until the page disconnects. It begins with the recent calls, also for a page
   * that connects again.
   */
  events(request: IncomingMessage, response: ServerResponse): void;
  /** The answer to `GET /api/live`. */
  statistics(): LiveStatistics;
  /** Ends the observation and all streams. */
  close(): void;
}

export interface LiveOptions {
  /** Number of changes so far, for the event `change`. */
  readonly revision: () => number;
}

interface SampledCall {
  readonly call: EndedCall;
  readonly id: number;
  readonly tokens: number;
}

/** Observes the calls of a server from now on, also while no page is connected. */
export function createLive(source: PageSource, { revision }: LiveOptions): Live {
  const conceal = (text: string): string => source.redact?.(text) ?? text;
  const statistics = new CallStatistics(conceal);
  // Calls of the page do not displace the errors of others, and are not displaced themselves.
  const ofPage = new CallSample<SampledCall>(BATCH_CALLS);
  const ofOthers = new CallSample<SampledCall>(BATCH_CALLS);
  const streams = new Set<EventStream>();
  /** Streams that have not got the recent calls yet. */
  const newcomers = new Set<EventStream>();
  const ending = new AbortController();
  let recent: LiveCall[] = [];
  let seen = 0;

  /**
   * Sends the calls since the last time and, if they are due, the figures. Both are of the same moment: the page adds the calls of
   * later events to the figures, so no counted call may be in one of them.
   */
  const send = async (areFiguresDue: boolean): Promise<void> => {
    const sample = [...ofPage.take(), ...ofOthers.take()].toSorted((one, other) => one.id - other.id);
    const count = seen;
    seen = 0;
    const welcomed = new Set(newcomers);
    newcomers.clear();
    const figures = areFiguresDue || welcomed.size > 0 ? statistics.read() : undefined;
    // Only the calls of the sample are prepared for the page, because that takes longer than counting a call.
    const calls = await inSlices(
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

/** Runs one `send` at a time. A start during a run is remembered, and starts another run after it. */
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
      // The page was closed, or a call cannot be read. The next calls are sent as usual.
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

/** Runs a function some time after the first start since the last run. The process does not wait for it. */
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
