export interface RunCall {
  readonly id: string;
  readonly address: string;
  readonly outcome: string;
  readonly ms?: number | undefined;
  readonly message?: string | undefined;
  readonly input?: string | undefined;
}

/** The error of a run, with its place in the code, counted from 1. */
interface RunProblem {
  readonly message: string;
  readonly advice: readonly string[];
  readonly code?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** The parsed result of `run_code`. */
export interface RunReport {
  readonly run?: string | undefined;
  /** Number of calls that the code made. */
  readonly made?: number | undefined;
  readonly problem?: RunProblem | undefined;
  /** The return value, parsed if it is JSON. */
  readonly value?: { readonly json: unknown } | { readonly text: string } | undefined;
  /** Content other than text, such as images. */
  readonly blocks: readonly ContentBlock[];
  readonly logs: readonly string[];
  readonly calls: readonly RunCall[];
  /** Other notes about the run. */
  readonly notes: readonly string[];
}

type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

interface ToolResult {
  readonly content?: unknown;
  readonly isError?: unknown;
  readonly _meta?: unknown;
}

const LOGS = 'Logs:\n';
const DRY_RUN = 'Calls of this dry run:';
const NO_VALUE = 'The code returned no value.';

/** Parses the result of `run_code`. Any server may answer, so nothing about the result is guaranteed. */
export function readRun(result: ToolResult): RunReport {
  const meta = isObject(result._meta) ? result._meta : {};
  const run = isObject(meta['toolfold/run']) ? meta['toolfold/run'] : {};
  const blocks = (Array.isArray(result.content) ? result.content : []).filter(isBlock);
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  const others = blocks.filter(({ type }) => type !== 'text');
  const shared = { run: asText(run['id']), made: asNumber(run['calls']), blocks: others };
  return result.isError === true
    ? { ...shared, ...readFailure(texts.join('\n\n'), meta['toolfold/error']) }
    : { ...shared, ...readSuccess(texts) };
}

function readSuccess(texts: readonly string[]): Pick<RunReport, 'value' | 'logs' | 'calls' | 'notes'> {
  const parts = [...texts];
  const logs = parts.at(-1)?.startsWith(LOGS) === true ? splitLogs(parts.pop()) : [];
  const calls: RunCall[] = [];
  const notes: string[] = [];
  // The value comes first; each later part begins with a title.
  while (parts.length > 0) {
    const last = parts.at(-1) ?? '';
    if (last.startsWith(DRY_RUN)) calls.push(...last.split('\n').slice(1).map(readCallLine));
    else if (/^Calls (?:of this dry run: none$|that the code did not await)/.test(last)) notes.unshift(last);
    else break;
    parts.pop();
  }
  const text = parts.join('\n');
  return {
    value: text === '' || text.startsWith(NO_VALUE) ? undefined : readValue(text),
    logs,
    calls,
    notes,
  };
}

function readValue(text: string): RunReport['value'] {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    // Text is returned unquoted, and the output budget may truncate JSON.
    return { text };
  }
}

function readFailure(text: string, report: unknown): Pick<RunReport, 'problem' | 'logs' | 'calls' | 'notes'> {
  const error = isObject(report) ? report : {};
  const details = isObject(error['details']) ? error['details'] : {};
  const logsAt = text.lastIndexOf(`\n\n${LOGS}`);
  const advice = Array.isArray(error['suggestions']) ? error['suggestions'].filter(isText) : [];
  const noted = Array.isArray(details['calls']) ? details['calls'].filter(isObject) : [];
  return {
    problem: {
      message: asText(error['message']) ?? (text === '' ? 'The run failed.' : text),
      advice,
      code: asText(details['cause']) ?? asText(error['code']),
      line: asNumber(details['line']),
      column: asNumber(details['column']),
    },
    logs: logsAt < 0 ? [] : splitLogs(text.slice(logsAt + 2)),
    calls: noted.map((note) => ({
      id: String(note['id'] ?? ''),
      address: asText(note['address']) ?? '',
      outcome: asText(note['outcome']) ?? '',
      ms: asNumber(note['ms']),
      message: asText(note['message']),
      input: asText(note['input']),
    })),
    notes: [],
  };
}

function splitLogs(text = ''): string[] {
  return text.slice(LOGS.length).split('\n');
}

/** Parses a line such as `1 to 2. shop/list: ok` or `3. shop/refund({"order":"o1"}): planned`. */
function readCallLine(line: string): RunCall {
  const [, id, address, input, outcome, message] =
    /^(\d+(?: to \d+)?)\. ([^\s(:]+)(?:\((.*)\))?: ([\w ]+?)(?:: (.*))?$/s.exec(line) ?? [];
  return id === undefined || address === undefined || outcome === undefined
    ? { id: '', address: line, outcome: '' }
    : { id, address, outcome, input, message };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value['type'] === 'string';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
