import type { LiveCall } from '../../../../src/page-events.js';

export const outcomes = ['all', 'ok', 'error', 'questions'] as const;
type OutcomeFilter = (typeof outcomes)[number];

export const tabs = ['calls', 'tools', 'errors', 'questions'] as const;
export type LiveTab = (typeof tabs)[number];

/** The state of the section as stored in the route, so that a link shows the same. */
export interface LiveFilters {
  readonly tab: LiveTab;
  /** Matches part of the address, the message, the caller or the client. */
  readonly text: string;
  readonly outcome: OutcomeFilter;
  /** Address of a tool, which includes its actions, or the name of a prompt or resource as in `nameOf`. */
  readonly tool: string;
  /** Minimum duration in milliseconds. */
  readonly minimum: number;
}

export const noFilters: LiveFilters = { tab: 'calls', text: '', outcome: 'all', tool: '', minimum: 0 };

function oneOf<T extends string>(values: readonly T[], value: string | null, otherwise: T): T {
  return values.find((each) => each === value) ?? otherwise;
}

/** Reads the route. Invalid values count as missing. */
export function readFilters(rest: string): LiveFilters {
  const read = new URLSearchParams(rest);
  const minimum = Number(read.get('min'));
  return {
    tab: oneOf(tabs, read.get('tab'), 'calls'),
    text: read.get('text') ?? '',
    outcome: oneOf(outcomes, read.get('outcome'), 'all'),
    tool: read.get('tool') ?? '',
    minimum: Number.isFinite(minimum) && minimum > 0 ? minimum : 0,
  };
}

/** Writes the route. Omits filters that match everything. */
export function writeFilters({ tab, text, outcome, tool, minimum }: LiveFilters): string {
  const written = new URLSearchParams();
  if (tab !== 'calls') written.set('tab', tab);
  if (text !== '') written.set('text', text);
  if (outcome !== 'all') written.set('outcome', outcome);
  if (tool !== '') written.set('tool', tool);
  if (minimum > 0) written.set('min', String(minimum));
  return written.toString();
}

export function isFiltering({ text, outcome, tool, minimum }: LiveFilters): boolean {
  return text.trim() !== '' || outcome !== 'all' || tool !== '' || minimum > 0;
}

/** Returns the combined filter, or `undefined` if every call passes. */
export function createCallFilter(filters: LiveFilters): ((call: LiveCall) => boolean) | undefined {
  if (!isFiltering(filters)) return undefined;
  const { outcome, tool, minimum } = filters;
  const text = filters.text.trim().toLowerCase();
  const has = (value: string | undefined): boolean => value?.toLowerCase().includes(text) === true;
  return (call) => {
    const name = nameOf(call);
    return (
      call.ms >= minimum &&
      (tool === '' || name === tool || name.startsWith(`${tool}/`)) &&
      (outcome === 'all' || kindOf(call) === outcome) &&
      (text === '' || has(name) || has(call.message) || has(call.caller) || has(call.client))
    );
  };
}

/** Returns the address of a call, with the kind of prompts and resources, as in groups of errors. */
export function nameOf({ kind, address }: Pick<LiveCall, 'kind' | 'address'>): string {
  return kind === undefined ? address : `${kind} ${address}`;
}

/** Classifies an outcome. A started task counts as `ok`. */
export function kindOf({ isError, outcome }: LiveCall): 'ok' | 'error' | 'questions' {
  if (isError) return 'error';
  return outcome === 'input_required' ? 'questions' : 'ok';
}
