import type { LiveCall } from '../../../../src/devtools/page-events.js';

export const outcomes = ['all', 'ok', 'error', 'questions'] as const;
export type OutcomeFilter = (typeof outcomes)[number];

export const tabs = ['calls', 'tools', 'errors', 'questions'] as const;
export type LiveTab = (typeof tabs)[number];

/** The choices of the section. The route holds them, so that a link shows the same. */
export interface LiveFilters {
  readonly tab: LiveTab;
  /** Part of the address, the message, the caller or the client. */
  readonly text: string;
  readonly outcome: OutcomeFilter;
  /** The address of a tool: its own calls and those of its actions. Or the name of a prompt or a resource as in `nameOf`. */
  readonly tool: string;
  /** Least duration in milliseconds. */
  readonly minimum: number;
}

export const noFilters: LiveFilters = { tab: 'calls', text: '', outcome: 'all', tool: '', minimum: 0 };

function oneOf<T extends string>(values: readonly T[], value: string | null, otherwise: T): T {
  return values.find((each) => each === value) ?? otherwise;
}

/** Reads the rest of the route. Values that make no sense count as missing. */
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

/** Writes the rest of the route. Filters that filter nothing are left out. */
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

/** The test of the filters, or `undefined` if every call passes. */
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

/** The address of a call, with the kind of prompts and resources, as groups of errors have it. */
export function nameOf({ kind, address }: Pick<LiveCall, 'kind' | 'address'>): string {
  return kind === undefined ? address : `${kind} ${address}`;
}

/** The kind of an outcome: a task that has begun counts as `ok`. */
export function kindOf({ isError, outcome }: LiveCall): 'ok' | 'error' | 'questions' {
  if (isError) return 'error';
  return outcome === 'input_required' ? 'questions' : 'ok';
}
