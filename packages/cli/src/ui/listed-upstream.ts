import type { UpstreamList } from '@toolfold/devtools/internal';
import type { McpTool } from 'toolfold/model';
import type { UpstreamToolDefinition } from '@toolfold/gateway';
import { originalOf } from '@toolfold/gateway/internal';

/** Limits memory, because a hostile server may have any number of items that cannot be shown. */
const MAX_LEFT_OUT = 100;

/** Remembers the tools as the server lists them, because the registry uses portable names and drops invalid tools. */
export class ListedUpstream {
  readonly #kind: UpstreamList['kind'];
  readonly #leftOut = new Map<string, string>();
  #problem: string | undefined;
  #tools: ReadonlyMap<string, McpTool> = new Map();

  constructor(kind: UpstreamList['kind']) {
    this.#kind = kind;
  }

  /** Records why an item cannot be shown. Without a name, no item of the server can be shown until the next list. */
  readonly leaveOut = (name: string | undefined, reason: string): void => {
    if (name === undefined) this.#problem = reason;
    else if (this.#leftOut.size < MAX_LEFT_OUT) this.#leftOut.set(name, reason);
  };

  readonly offer = (items: readonly UpstreamToolDefinition[]): void => {
    this.#tools = new Map(items.map((item) => [item.name, originalOf(item)]));
    this.#problem = undefined;
    // A tool that was invalid before may be valid now.
    for (const { name } of this.#tools.values()) this.#leftOut.delete(name);
  };

  readonly read = (): UpstreamList => ({
    kind: this.#kind,
    tools: this.#tools,
    leftOut: this.#leftOut,
    problem: this.#problem,
  });
}
