import { signal } from '@preact/signals';
import type { CopiedCall } from '../copy/copied-call.js';
import { readJson } from '../../../mcp/wire/exact-json.js';
import { writeJson } from '../../../ui/json/exact-number.js';
import { isRecord } from '../form/json.js';

/** A call that was made from this tab. */
export interface HistoryEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Duration in milliseconds, without the time to connect. Missing if nothing was sent. */
  readonly ms?: number | undefined;
  readonly status: 'ok' | 'error' | 'failed' | 'cancelled';
  /** The message of an error. */
  readonly summary: string;
  readonly call: CopiedCall;
}

const KEY = 'toolfold-history';
const MAX_ENTRIES = 50;
/** Maximum number of characters of all entries. Browsers store about five million per tab. */
const MAX_CHARACTERS = 1_500_000;
/** Maximum number of characters of a call. A larger one is kept without its result. */
const MAX_CALL = 200_000;

/** Calls of this tab, the newest first. Kept in session storage, because arguments may be secret. */
export const history = signal<readonly HistoryEntry[]>(read());

export function remember(entry: Omit<HistoryEntry, 'id'>): void {
  const id = (history.value[0]?.id ?? 0) + 1;
  const { result: _, ...withoutResult } = entry.call;
  const isLarge = JSON.stringify(entry.call).length > MAX_CALL;
  history.value = fit([{ ...entry, id, call: isLarge ? withoutResult : entry.call }, ...history.value]);
  write();
}

export function clearHistory(): void {
  history.value = [];
  write();
}

/** Drops older entries that exceed the storage limits. */
export function fit(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let left = MAX_CHARACTERS;
  return entries.slice(0, MAX_ENTRIES).filter((entry, index) => {
    left -= JSON.stringify(entry).length;
    return left >= 0 || index === 0;
  });
}

function read(): readonly HistoryEntry[] {
  try {
    const value: unknown = readJson(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter(isEntry) : [];
  } catch {
    // Storage is blocked, or has entries of another version of the page.
    return [];
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  return isRecord(value) && typeof value['id'] === 'number' && isRecord(value['call']);
}

function write(): void {
  try {
    sessionStorage.setItem(KEY, writeJson(history.value));
  } catch {
    // Storage is full or blocked. The history still exists until a reload.
  }
}
