import { onEvent } from '../../../api/events.js';
import { api } from '../../../api/client.js';
import { LiveStore } from './live-store.js';

/** The calls of the server. They are collected from the start of the page, so that the section shows calls that arrived before it was opened. */
export const live = new LiveStore((publish) => requestAnimationFrame(publish));

/** Starts to collect the calls. Called once, before the page connects. */
export function followCalls(): void {
  onEvent('calls', (event) => live.accept(event));
  onEvent('statistics', (event) => live.accept(event));
}

/** Loads the figures, which the server sends by itself only while calls arrive. */
export async function loadStatistics(signal: AbortSignal): Promise<void> {
  live.setStatistics(await api.live(signal));
}
