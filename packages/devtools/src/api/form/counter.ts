import type { ToolCounter } from '@toolfold/analysis/internal';
import type { Snapshot } from '../snapshot.js';

/** Returns the counter of a snapshot. All requests share it, so that equal texts are counted once. */
export function counterOf(snapshot: Snapshot, signal: AbortSignal): Promise<ToolCounter> {
  return snapshot.share('counter', signal, async () => snapshot.tokens.createCounter(snapshot.ended));
}
