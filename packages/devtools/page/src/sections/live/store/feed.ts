import { onEvent } from '../../../api/events.js';
import { api } from '../../../api/client.js';
import { LiveStore } from './live-store.js';

/** Stores the calls of the server. It collects them from page load on, so that the section also shows earlier calls. */
export const live = new LiveStore((publish) => requestAnimationFrame(publish));

/** Starts to collect the calls. Called once, before the page connects. */
export function followCalls(): void {
  onEvent('calls', (event) => live.accept(event));
  onEvent('statistics', (event) => live.accept(event));
}

/** Loads the statistics, because the server only sends them by itself while calls arrive. */
export async function loadStatistics(signal: AbortSignal): Promise<void> {
  live.setStatistics(await api.live(signal));
}
