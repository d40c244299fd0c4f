import { linkTo } from '../../routes.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/copy.js';
import { EmptyState, Notice, Spinner } from '../../ui/feedback.js';
import { countOf, formatMs } from '../../ui/figures.js';
import { Table } from '../../ui/table.js';
import { Name, Text, visibleText } from '../../ui/text.js';
import { DataView } from '../try/result/data-view.js';
import { PartView } from '../try/result/part-view.js';
import { partsOf } from '../try/result/result-parts.js';
import type { CodePlace } from './editor/error-mark.js';
import type { RunCall, RunReport } from './read-run.js';
import { callsOf, reportOf } from './run-code.js';
import type { CodeRun } from './run-code.js';

interface RunOutputProps {
  readonly run: CodeRun | undefined;
  readonly onGoTo: (place: CodePlace) => void;
}

/** Shows the result of the latest run: its value or error, logs and calls. */
export function RunOutput({ run, onGoTo }: RunOutputProps) {
  if (!run)
    return (
      <section class="panel" aria-label="Result">
        <EmptyState icon="code" title="Nothing has run yet">
          <p>
            Press <kbd>Ctrl Enter</kbd> in the editor. The result is the value that the code returns, or the
            value of its last expression.
          </p>
        </EmptyState>
      </section>
    );
  const report = reportOf(run);
  const outcome = run.call.outcome.value;
  const calls = callsOf(run, report);
  return (
    <section class="panel" aria-label="Result" aria-busy={outcome === undefined}>
      <div class="panel-head">
        <h2>Result</h2>
        <Status run={run} report={report} />
      </div>
      <div class="panel-body stack stack-loose">
        {run.call.notice.value !== undefined && <Notice kind="info">{run.call.notice.value}</Notice>}
        {outcome?.kind === 'failure' && (
          <Notice kind="error" role="alert">
            <p>
              <Text value={outcome.message} clamp={8} />
            </p>
          </Notice>
        )}
        {report?.problem && <Problem report={report} onGoTo={onGoTo} />}
        {report && !report.problem && <Value report={report} />}
        {report?.notes.map((note) => (
          <Notice key={note} kind="warning">
            <Text value={note} />
          </Notice>
        ))}
        {report && report.logs.length > 0 && (
          <div class="stack stack-tight">
            <h3>Logs</h3>
            <CodeBlock value={report.logs.join('\n')} label="logs" />
          </div>
        )}
        {(calls.length > 0 || (report?.made ?? 0) > 0) && (
          <Calls calls={calls} made={report?.made} isDryRun={run.isDryRun} />
        )}
      </div>
    </section>
  );
}

const statusTexts = {
  connecting: 'Connecting',
  running: 'Running',
  task: 'Running',
  asking: 'Waits for your answer',
} as const;

function Status({ run, report }: { readonly run: CodeRun; readonly report: RunReport | undefined }) {
  const status = run.call.status.value;
  const ms = run.call.ms.value;
  return (
    <span class="row small" aria-live="polite">
      {run.isDryRun && <Badge kind="info">dry run</Badge>}
      {status === 'done' && report?.problem && <Badge kind="error">failed</Badge>}
      {status === 'done' && !report?.problem && <Badge kind="ok">done</Badge>}
      {status === 'failed' && <Badge kind="error">failed</Badge>}
      {status === 'cancelled' && <Badge kind="warning">stopped</Badge>}
      {status in statusTexts && (
        <>
          <Spinner label={statusTexts[status as keyof typeof statusTexts]} />
          {run.calls.value.length > 0 && <span class="soft">{countOf(run.calls.value.length, 'call')}</span>}
        </>
      )}
      {ms !== undefined && <span class="soft number">{formatMs(ms)}</span>}
      <span class="soft">{run.call.request.endpoint.era === '2026' ? '2026 client' : '2025 client'}</span>
    </span>
  );
}

function Problem({ report, onGoTo }: { readonly report: RunReport } & Pick<RunOutputProps, 'onGoTo'>) {
  const { problem } = report;
  if (!problem) return null;
  const { line, column } = problem;
  return (
    <Notice kind="error" role="alert">
      <p>
        <Text value={problem.message} isMono clamp={12} />
      </p>
      {problem.advice.map((each) => (
        <p key={each} class="soft">
          <Text value={each} />
        </p>
      ))}
      {line !== undefined && (
        <p>
          <Button isSmall icon="code" onClick={() => onGoTo({ line, column })}>
            {`Go to line ${line}${column === undefined ? '' : `, column ${column}`}`}
          </Button>
        </p>
      )}
    </Notice>
  );
}

function Value({ report: { value, blocks } }: { readonly report: RunReport }) {
  if (value === undefined && blocks.length === 0) return <p class="soft">The code returned no value.</p>;
  return (
    <div class="stack">
      {value && 'text' in value && <CodeBlock value={value.text} label="result" />}
      {value && 'json' in value && <DataView value={value.json} label="value" />}
      {partsOf({ content: blocks }).map((part, at) => (
        <PartView key={at} part={part} label={`content ${at + 1}`} />
      ))}
    </div>
  );
}

interface CallsProps {
  readonly calls: readonly RunCall[];
  readonly made: number | undefined;
  readonly isDryRun: boolean;
}

function Calls({ calls, made = calls.length, isDryRun }: CallsProps) {
  return (
    <div class="stack stack-tight">
      <h3>{isDryRun ? 'Calls and planned writes' : 'Calls'}</h3>
      <Table
        caption="Calls that the code made"
        rows={calls}
        keyOf={({ id, address }) => `${id} ${address}`}
        columns={[
          { key: 'id', title: 'Call', isNumber: true, render: ({ id }) => id },
          {
            key: 'address',
            title: 'Tool',
            isHead: true,
            render: ({ address }) => (
              <a class="code-link" href={linkTo('surface', address)}>
                <Name value={address} />
              </a>
            ),
          },
          {
            key: 'outcome',
            title: 'Outcome',
            render: ({ outcome, message }) => (
              <>
                <Badge kind={outcome === 'ok' ? 'ok' : outcome === 'planned' ? 'info' : 'error'}>
                  {outcome}
                </Badge>
                {message !== undefined && (
                  <span class="small soft">
                    {' '}
                    <Text value={message} clamp={2} />
                  </span>
                )}
              </>
            ),
          },
          {
            key: 'input',
            title: 'Arguments',
            render: ({ input }) => (
              <bdi class="mono small soft">{visibleText((input ?? '').slice(0, 200))}</bdi>
            ),
          },
          {
            key: 'ms',
            title: 'Duration',
            isNumber: true,
            render: ({ ms }) => (ms === undefined ? '' : formatMs(ms)),
          },
        ]}
      />
      {made > calls.length && !isDryRun && (
        <p class="soft small">
          {calls.length} of {countOf(made, 'call')} arrived in Live.
        </p>
      )}
    </div>
  );
}
