import type { ToolRegistry } from '../../index.js';
import { fromMcpServer } from '../../node.js';
import type {
  FromMcpServerOptions,
  UpstreamHealth,
  UpstreamLoader,
  UpstreamTarget,
  UpstreamToolDefinition,
} from '../../node.js';
import { compileItem } from '../../compile/compile-item.js';
import { messageOf } from '../../engine/error-handler.js';
import { untilAborted } from '../../upstream/connect.js';
import { originalOf } from '../../upstream/original-tool.js';
import { isToolfoldError } from '../../analysis/toolfold-error.js';
import { toLine } from '../../values/to-line.js';
import { LISTING } from './config/read-config.js';
import type { Notices } from './notices.js';
import { offerTools } from './offer-tools.js';
import type { OfferedTools, OfferPlan } from './offer-tools.js';
import { reviewEntries } from './review-tools.js';

interface ProxiedServerOptions {
  /** The name in messages. Default: that of the command or the host. */
  readonly name: string | undefined;
  readonly target: UpstreamTarget;
  readonly notices: Notices;
  readonly takesRoots: boolean;
  /** Called with the items that cannot be offered. Without a name, none of the server's items can be offered. */
  readonly onSkipped?: (name: string | undefined, reason: string) => void;
  /** The protocol of the server. Default: `auto`. */
  readonly protocol?: FromMcpServerOptions['protocol'];
  /** Milliseconds for connecting, and for a call without progress. Default: that of `fromMcpServer`. */
  readonly timeoutMs?: number;
}

interface FollowOptions {
  readonly plan: OfferPlan;
  readonly signal: AbortSignal;
  /** Whether an unreachable server is an error. Otherwise the proxy keeps trying. */
  readonly mustRun: boolean;
  /** Called with the tools that are offered, after each list. */
  readonly onOffered?: (items: OfferedTools['items']) => void;
}

/** The state of a server, for operators. It has no address and no reason. */
export interface ServerState {
  readonly state: UpstreamHealth['state'];
  readonly since: string;
  readonly tools: number;
  readonly quarantined: number;
}

/** A server behind the proxy, whose tools, prompts and resources are kept up to date in a registry. */
export class ProxiedServer {
  readonly name: string;
  readonly loader: UpstreamLoader;
  readonly #notices: Notices;
  readonly #skip: (name: string, reason: string) => void;
  readonly #onSkipped: ProxiedServerOptions['onSkipped'];
  /** Whether the last list had tools that should be in the registry now. */
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
        // Errors of other classes are about single streams of the client, unless they removed the tools of the server.
        if (!isToolfoldError(error)) {
          if (this.#hasLostTools) this.#reportFailure(error, about('error'));
          return;
        }
        const line = toLine(error.message, 500);
        const isConflict = error.code === 'ErrDuplicateName';
        if (!isConflict) this.#reason = line;
        // A list that cannot be read, or an item whose name another server has, is found again with each list.
        if (error.code !== 'ErrUpstreamLost')
          notices.once(isConflict ? `left out an item: ${line}` : line, about('warn'));
        else if (this.#last === 'up') notices.say(line, about('warn'));
      },
      roots: takesRoots,
      ...(protocol === undefined ? {} : { protocol }),
      ...(timeoutMs === undefined ? {} : { timeoutMs, connectTimeoutMs: timeoutMs }),
    });
    this.loader.onHealth((health) => this.#report(health));
  }

  get counts(): { readonly tools: number; readonly quarantined: number } {
    // The items of a server whose lists cannot be read are removed.
    return this.#registry?.counts.tools === 0 ? { ...this.#counts, tools: 0 } : this.#counts;
  }

  get isUp(): boolean {
    return this.loader.health.state === 'up';
  }

  /** Why the server cannot be reached, for the operator. */
  get reason(): string | undefined {
    return this.loader.health.reason ?? this.#reason;
  }

  get state(): ServerState {
    const { state, since } = this.loader.health;
    return { state, since: new Date(since).toISOString(), ...this.counts };
  }

  /** Connects, and lists the tools as the server offers them. */
  list(signal: AbortSignal): Promise<readonly UpstreamToolDefinition[]> {
    return untilAborted(this.loader(LISTING), signal);
  }

  /** Registers what the server offers, and keeps it up to date. */
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
    await untilAborted(following, signal);
  }

  close(): Promise<void> {
    return this.loader.close();
  }

  /** Whether the server works, but its tools are not in the registry. */
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

/** Leaves out the tools that cannot be compiled, because a registry would reject all tools for one of them. */
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
