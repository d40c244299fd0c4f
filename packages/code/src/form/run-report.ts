import type { CallToolResult, ContentBlock, ErrorReport } from 'toolfold';
import { ErrInvalidResult } from 'toolfold/errors';
import type { ErrorCode } from 'toolfold/errors';
import { isResult, RUN, toCallToolResult } from 'toolfold/internal';
import { clip } from '@toolfold/schema/internal';
import type { RunFailure } from '../sandbox/sandbox.js';
import type { CallNote } from './paused-run.js';

interface RunRecord {
  readonly runId: string;
  readonly notes: readonly CallNote[];
  readonly logs: readonly string[];
  readonly hasLostLogs: boolean;
}

/** Adds `wall`, because the form and not the sandbox ends a run whose time is over. */
export type ReportedFailure = Omit<RunFailure, 'kind'> & { readonly kind: RunFailure['kind'] | 'wall' };

const NO_VALUE = 'The code returned no value. Write `return value` to return one.';
const MAX_CALL_LINES = 60;
const MAX_MESSAGE = 2_000;
const MAX_LINE = 160;

export function toRunResult(
  value: string | undefined,
  record: RunRecord,
  isDryRun: boolean,
  write: (value: unknown) => string,
): CallToolResult {
  const parsed: unknown = value === undefined ? undefined : JSON.parse(value);
  const parts = [
    ...(isDryRun ? [describeCalls(record.notes, 'Calls of this dry run')] : []),
    ...describeLogs(record),
  ];
  const isEmpty = parsed === undefined && parts.length === 0;
  return {
    content: [
      ...(parsed === undefined ? [] : toContent(parsed, write)),
      ...(isEmpty ? [toBlock(NO_VALUE)] : []),
      ...parts.map(toBlock),
    ],
    _meta: toMeta(record),
  };
}

function toBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** Passes the content of a call that the code returns on, so that images stay images. Invalid content is treated as data. */
function toContent(value: unknown, write: (value: unknown) => string): ContentBlock[] {
  const blocks = isResult(value) && Object.keys(value).length === 1 ? value.content.map(withoutHints) : [];
  if (blocks.length > 0) {
    try {
      return toCallToolResult({ content: blocks }).content;
    } catch (error) {
      if (!(error instanceof ErrInvalidResult)) throw error;
    }
  }
  return [toBlock(write(value))];
}

/** Drops optional fields that clients check, because one that the code made up would make them reject the whole result. */
function withoutHints(block: ContentBlock): ContentBlock {
  const plain = omitHints(block);
  return block.type === 'resource'
    ? ({ ...plain, resource: omitHints(block.resource) } as ContentBlock)
    : plain;
}

function omitHints<T extends object>(part: T): T {
  const {
    annotations: _annotations,
    _meta,
    icons: _icons,
    ...others
  } = part as Readonly<Record<string, unknown>>;
  return others as T;
}

function toMeta({ runId, notes }: RunRecord): Record<string, unknown> {
  return { [RUN]: { id: runId, calls: notes.length } };
}

export function toFailedResult(failure: ReportedFailure, code: string, record: RunRecord): CallToolResult {
  const message = describeFailure(failure);
  const { kind, line, column } = failure;
  const report: ErrorReport = {
    code: 'ErrCodeFailed' satisfies ErrorCode,
    message,
    userMessage: message,
    suggestions: adviceFor(failure),
    details: {
      kind,
      name: clip(failure.name),
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      ...(failure.code === undefined ? {} : { cause: clip(failure.code) }),
      run: record.runId,
      calls: record.notes.slice(0, MAX_CALL_LINES),
    },
  };
  const parts = [
    `${message}${showLine(code, failure)}`,
    ...report.suggestions,
    describeCalls(record.notes, 'Calls made'),
    ...describeLogs(record),
  ];
  return {
    content: [{ type: 'text', text: parts.join('\n\n') }],
    isError: true,
    _meta: { 'toolfold/error': report, ...toMeta(record) },
  };
}

function describeFailure({ name, message, line, column }: ReportedFailure): string {
  const place =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  return `${clip(name)}: ${clip(message, MAX_MESSAGE)}${place}`;
}

const advice: Readonly<Partial<Record<ReportedFailure['kind'], string>>> = {
  cpu: 'Compute less: let the tools filter and sort, or split the work into several runs.',
  memory: 'Hold less at once: let the tools filter, and keep only the fields that you need.',
  result: 'Return plain JSON, and not too much: a summary, a count or the first rows.',
  unhandled:
    'The code did not catch this error. Await every promise: use for…of, or Promise.all with map, instead of forEach.',
  stuck: 'Only calls of tools can be awaited. There are no timers.',
  wall: 'Make fewer calls in one run, and run independent calls at once with Promise.all.',
  closed: 'Check what its calls have changed before you run the code again.',
};

const ONLY_JAVASCRIPT =
  'Code has `tools`, `console` and the objects of JavaScript itself: no fetch, timers, process, Buffer, URL, Intl or crypto. Format with toLocaleString. Declare variables with const or let.';

function adviceFor({ kind, name }: ReportedFailure): readonly string[] {
  const text = kind === 'thrown' && name === 'ReferenceError' ? ONLY_JAVASCRIPT : advice[kind];
  return text === undefined ? [] : [text];
}

function showLine(code: string, { line, column }: ReportedFailure): string {
  if (line === undefined) return '';
  const text = code.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1];
  if (text === undefined || text.trim() === '') return '';
  const at = Math.min(Math.max((column ?? 1) - 1, 0), text.length);
  // A long line is shown around its column.
  const start = Math.max(0, Math.min(at - MAX_LINE / 2, text.length - MAX_LINE));
  const shown = text.slice(start, start + MAX_LINE).replaceAll('\t', ' ');
  const mark = column === undefined ? '' : `\n${' '.repeat(`${line} | `.length + at - start)}^`;
  return `\n\n${line} | ${shown}${mark}`;
}

/** Lists the calls with their outcomes. Successive calls of one action with one outcome share a line. */
function describeCalls(notes: readonly CallNote[], title: string): string {
  if (notes.length === 0) return `${title}: none`;
  const lines: { first: CallNote; count: number }[] = [];
  for (const note of notes) {
    const last = lines.at(-1);
    const isSame = last && isAlike(last.first, note);
    if (isSame) last.count++;
    else lines.push({ first: note, count: 1 });
  }
  const shown = lines.slice(0, MAX_CALL_LINES).map(({ first, count }) => {
    const { id, address, outcome, message, input } = first;
    const ids = count === 1 ? `${id}` : `${id} to ${id + count - 1}`;
    return `${ids}. ${address}${input === undefined ? '' : `(${input})`}: ${outcome}${message === undefined ? '' : `: ${message}`}`;
  });
  const more = lines.slice(MAX_CALL_LINES).reduce((sum, { count }) => sum + count, 0);
  const rest = more > 0 ? [`… and ${more} more`] : [];
  return [`${title}:`, ...shown, ...rest].join('\n');
}

function isAlike(one: CallNote, other: CallNote): boolean {
  return (
    one.address === other.address &&
    one.outcome === other.outcome &&
    one.message === other.message &&
    one.input === undefined &&
    other.input === undefined
  );
}

function describeLogs({ logs, hasLostLogs }: RunRecord): string[] {
  if (logs.length === 0 && !hasLostLogs) return [];
  return [['Logs:', ...logs, ...(hasLostLogs ? ['… more lines were left out'] : [])].join('\n')];
}
