import type { ToolCounter } from '../../../analysis/tokens/tool-counter.js';
import type { Snapshot } from '../snapshot.js';

/** The counter of a snapshot, which counts equal texts once. */
export function counterOf(snapshot: Snapshot, signal: AbortSignal): Promise<ToolCounter> {
  return snapshot.share('counter', signal, async () => snapshot.tokens.createCounter(snapshot.ended));
}
