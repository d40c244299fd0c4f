import type { ToolRegistry } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import type {
  FromMcpServerOptions,
  UpstreamHealth,
  UpstreamLoader,
  UpstreamTarget,
  UpstreamToolDefinition,
} from '@toolfold/gateway';
import { compileItem, messageOf, toLine } from 'toolfold/internal';
import { originalOf } from '@toolfold/gateway/internal';
import { untilAborted } from '@toolfold/schema/internal';
import { isToolfoldError } from '@toolfold/analysis/internal';
import { LISTING } from './config/read-config.js';
import type { Notices } from './notices.js';
import { offerTools } from './offer-tools.js';
import type { OfferedTools, OfferPlan } from './offer-tools.js';
import { reviewEntries } from './review-tools.js';

interface ProxiedServerOptions {
  /** Name for messages. Default: derived from the command or the host. */
  readonly name: string | undefined;
  readonly target: UpstreamTarget;
  readonly notices: Notices;
  readonly takesRoots: boolean;
  /** Called with items that cannot be offered. Without a name, no item of the server can be offered. */
  readonly onSkipped?: (name: string | undefined, reason: string) => void;
  readonly protocol?: FromMcpServerOptions['protocol'];
  /** Milliseconds for connecting, and for a call without progress. Default: that of `fromMcpServer`. */
  readonly timeoutMs?: number;
}

interface FollowOptions {
  readonly plan: OfferPlan;
  readonly signal: AbortSignal;
  /** Whether an unreachable server is an error. Otherwise the proxy keeps trying. */
  readonly mustRun: boolean;
  /** Called with the offered tools after each read of the list. */
  readonly onOffered?: (items: OfferedTools['items']) => void;
}

/** The state of a server for operators. Contains no address and no reason, because anybody can read it. */
interface ServerState {
  readonly state: UpstreamHealth['state'];
  readonly since: string;
  readonly tools: number;
  readonly quarantined: number;
}

/** Milliseconds without an answer at the start before a message reports it. */
const SILENCE_MS = 10_000;

/** A server behind the proxy. Keeps its tools, prompts and resources up to date in a registry. */
export class ProxiedServer {
  readonly name: string;
  readonly loader: UpstreamLoader;
  readonly #notices: Notices;
  readonly #skip: (name: string, reason: string) => void;
  readonly #onSkipped: ProxiedServerOptions['onSkipped'];
  /** Whether the last list contained tools that belong in the registry. */
  #hasTools = false;
  #counts = { tools: 0, quarantined: 0 };
  #registry: ToolRegistry | undefined;
  #last: UpstreamHealth['state'] = 'unknown';
  #reason: string | undefined;

  constructor(options: ProxiedServerOptions) {
    const { name, target, notices, takesRoots, onSkipped, protocol, timeoutMs } = options;
    this.name = name ?? 'server';
    this.#notices = notices;
    const server = name;
    const about = (level: 'warn' | 'error') => ({ level, ...(server === undefined ? {} : { server }) });
    this.#onSkipped = onSkipped;
    this.#skip = (item, reason) => {
      notices.once(`left out "${toLine(item)}": ${toLine(reason)}`, about('warn'));
      onSkipped?.(item, reason);
    };
    this.loader = fromMcpServer(target, {
      ...(name === undefined ? {} : { name }),
      onSkipped: this.#skip,
      onStderr: notices.stderrOf(server),
      onError: (error) => {
        // Other errors concern single streams of the client, unless they removed the tools of the server.
        if (!isToolfoldError(error)) {
          if (this.#hasLostTools) this.#reportFailure(error, about('error'));
          return;
        }
        const line = toLine(error.message, 500);
        const isConflict = error.code === 'ErrDuplicateName';
        if (!isConflict) this.#reason = line;
        // Do not repeat an unreadable list or a name conflict after each list.
        if (error.code !== 'ErrUpstreamLost')
          notices.once(
            isConflict ? `left out an item: ${line}` : line,
            // The message names both servers, and either may have caused the conflict.
            isConflict ? { level: 'warn' } : about('warn'),
          );
        else if (this.#last === 'up') notices.say(line, about('warn'));
      },
      roots: takesRoots,
      ...(protocol === undefined ? {} : { protocol }),
      ...(timeoutMs === undefined
        ? {}
        : { timeoutMs, connectTimeoutMs: timeoutMs, connectLimitMs: timeoutMs }),
    });
    this.loader.onHealth((health) => this.#report(health));
  }

  get counts(): { readonly tools: number; readonly quarantined: number } {
    // Items of a server are removed when its lists become unreadable.
    return this.#registry?.counts.tools === 0 ? { ...this.#counts, tools: 0 } : this.#counts;
  }

  get isUp(): boolean {
    return this.loader.health.state === 'up';
  }

  /** Why the server is unreachable, for the operator. */
  get reason(): string | undefined {
    return this.loader.health.reason ?? this.#reason;
  }

  get state(): ServerState {
    const { state, since } = this.loader.health;
    return { state, since: new Date(since).toISOString(), ...this.counts };
  }

  list(signal: AbortSignal): Promise<readonly UpstreamToolDefinition[]> {
    return this.#waitFor(this.loader(LISTING), signal);
  }

  /** Waits for the server, and reports a long silence, because clients only show that they are connecting. */
  async #waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const timer = setTimeout(() => {
      const message = `the server "${this.name}" has not answered for ${SILENCE_MS / 1_000} s. Still waiting for it.`;
      this.#notices.say(message, { level: 'warn' });
    }, SILENCE_MS);
    try {
      return await untilAborted(work, signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async follow(registry: ToolRegistry, { plan, signal, mustRun, onOffered }: FollowOptions): Promise<void> {
    this.#registry = registry;
    const following = this.loader.follow(registry, {
      context: LISTING,
      wait: mustRun,
      tools: (listed) => {
        const { items, tools, quarantined, isRejected } = offerTools(
          compilableTools(listed, this.#skip),
          plan,
          this.#notices,
        );
        this.#counts = { tools, quarantined };
        this.#hasTools = tools > 0 && !isRejected;
        if (isRejected) return undefined;
        onOffered?.(items);
        return items;
      },
      review: (kind, listed) => {
        const { review, label, server } = plan;
        if (!review) return listed;
        const { accepted, notices } = reviewEntries(kind, listed, review, label);
        for (const notice of notices) this.#notices.once(notice, { level: 'warn', server });
        return accepted;
      },
    });
    await this.#waitFor(following, signal);
  }

  close(): Promise<void> {
    return this.loader.close();
  }

  /** Whether the server works but its tools are missing in the registry. */
  get #hasLostTools(): boolean {
    return this.isUp && this.#hasTools && this.#registry?.counts.tools === 0;
  }

  #reportFailure(error: unknown, notice: Parameters<Notices['once']>[1]): void {
    const reason = toLine(messageOf(error) || String(error), 500);
    this.#reason = reason;
    this.#notices.once(`the list of the server cannot be read: ${reason}`, notice);
    this.#onSkipped?.(undefined, reason);
  }

  #report({ state, reason }: UpstreamHealth): void {
    if (state === this.#last) return;
    const before = this.#last;
    this.#last = state;
    if (state === 'down') {
      const why = reason === undefined ? '' : `: ${toLine(reason, 300)}`;
      this.#notices.say(`the server "${this.name}" is down${why} Its tools are missing until it answers.`, {
        level: 'error',
      });
    } else if (before === 'down') this.#notices.say(`the server "${this.name}" is up again`);
  }
}

/** Drops tools that do not compile, because a registry would reject the complete list for one of them. */
export function compilableTools(
  tools: readonly UpstreamToolDefinition[],
  skip: (name: string, reason: string) => void,
): readonly UpstreamToolDefinition[] {
  return tools.filter((tool) => {
    try {
      compileItem(tool, {});
      return true;
    } catch (error) {
      skip(originalOf(tool).name, messageOf(error) || 'it cannot be compiled');
      return false;
    }
  });
}
