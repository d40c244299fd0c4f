import type { Call, CallStatus, Outcome } from '../../../mcp/call.js';
import { revisions } from '../../../mcp/endpoint.js';
import { perspective } from '../../../perspective.js';
import { Badge } from '../../../ui/badge.js';
import type { BadgeKind } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Notice, Spinner } from '../../../ui/feedback.js';
import { countOf, formatCount, formatMs } from '../../../ui/figures.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { Tabs } from '../../../ui/tabs.js';
import { Name, Text } from '../../../ui/text.js';
import { isRecord } from '../form/json.js';
import { Turn } from '../questions/sampling-dialog.js';
import { reportOf } from '../result/error-report.js';
import { ErrorView, FailureView, FaultView } from '../result/error-view.js';
import { MessagesView } from '../result/messages-view.js';
import { PartView } from '../result/part-view.js';
import { partsOf } from '../result/result-parts.js';
import { StepsBar } from '../result/steps-bar.js';
import { measuredCalls } from './runs.js';

const statusBadges: Readonly<Record<CallStatus, readonly [BadgeKind, string]>> = {
  connecting: ['info', 'connecting'],
  running: ['info', 'running'],
  task: ['info', 'Running as a task'],
  asking: ['warning', 'waits for an answer'],
  done: ['ok', 'ok'],
  failed: ['error', 'failed'],
  cancelled: ['plain', 'cancelled'],
};

/** Shows a running call with its activity, and then its outcome. */
export function CallPanel({ call, title }: { readonly call: Call; readonly title: string }) {
  const { era } = call.request.endpoint;
  const outcome = call.outcome.value;
  const measured = <Measured key="measured" call={call} />;
  return (
    <section class="panel try-call" aria-label={`${title} in ${revisions[era]}`}>
      <CallHead call={call} title={title} />
      <div class="panel-body stack">
        {call.notice.value !== undefined && <Notice kind="info">{call.notice.value}</Notice>}
        <Activity call={call} />
        {outcome === undefined ? null : (
          <>
            {!isError(outcome) && measured}
            <Tabs
              label={`Parts of the outcome in ${era}`}
              tabs={[
                { key: 'result', label: 'Result', render: () => <OutcomeView outcome={outcome} /> },
                ...(outcome.kind === 'result'
                  ? [
                      {
                        key: 'raw' as const,
                        label: 'Raw result',
                        render: () => <JsonView value={outcome.result} label="raw result" />,
                      },
                    ]
                  : []),
                {
                  key: 'messages',
                  label: `Messages (${call.messages.value.call.length})`,
                  render: () => <MessagesView messages={call.messages.value} />,
                },
              ]}
            />
            {isError(outcome) && measured}
          </>
        )}
      </div>
    </section>
  );
}

function isError(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'result' && outcome.result['isError'] === true;
}

function CallHead({ call, title }: { readonly call: Call; readonly title: string }) {
  const outcome = call.outcome.value;
  const [kind, text] = isError(outcome) ? (['error', 'error'] as const) : statusBadges[call.status.value];
  const measured = measuredCalls(call.trace).at(-1);
  return (
    <div class="panel-head">
      <h2>{title}</h2>
      <Badge kind="outline">{revisions[call.request.endpoint.era]}</Badge>
      <Badge kind={kind}>{text}</Badge>
      <Durations call={call} />
      {measured && <span class="soft small">≈ {countOf(measured.tokens, 'token')}</span>}
      {outcome === undefined && (
        <Button isSmall icon="stop" onClick={() => call.cancel()}>
          Cancel
        </Button>
      )}
    </div>
  );
}

/** Shows the duration of the call. The time to connect is separate, because only the first call of a tab needs it. */
function Durations({ call: { ms, connectedMs, answeringMs } }: { readonly call: Call }) {
  if (ms.value === undefined) return null;
  const answering = answeringMs.value > 0 ? `, ${formatMs(answeringMs.value)} of it for your answers` : '';
  return (
    <>
      <span class="soft small">
        {formatMs(ms.value)}
        {answering}
      </span>
      {connectedMs.value !== undefined && (
        <span class="faint small">connected in {formatMs(connectedMs.value)}</span>
      )}
    </>
  );
}

/** Shows the progress, log messages and task status of a call. */
function Activity({ call }: { readonly call: Call }) {
  const progress = call.progress.value;
  const logs = call.logs.value;
  const task = call.task.value;
  const isOver = call.outcome.value !== undefined;
  const hasSucceeded = call.status.value === 'done' && !isError(call.outcome.value);
  return (
    <>
      {!isOver && progress === undefined && <Spinner label={statusBadges[call.status.value][1]} />}
      {progress !== undefined && !hasSucceeded && (
        <div class="try-progress">
          {/* A progress bar without a value is animated, as if the call were still running, so hide it after the end. */}
          {!(isOver && progress.total === undefined) && (
            <progress
              aria-label="Progress"
              value={progress.total === undefined ? undefined : Math.max(0, progress.progress)}
              max={progress.total !== undefined && progress.total > 0 ? progress.total : 1}
            />
          )}
          <span class="soft small">
            {formatCount(progress.progress)}
            {progress.total !== undefined && ` of ${formatCount(progress.total)}`}
            {progress.message !== undefined && <Text value={` · ${progress.message.slice(0, 500)}`} />}
          </span>
        </div>
      )}
      {task !== undefined && (
        <div class="row">
          <span class="soft small">Task</span>
          <Name value={String(task['taskId']).slice(0, 60)} />
          <Badge>{String(task['status']).slice(0, 40)}</Badge>
          {typeof task['statusMessage'] === 'string' && <Text value={task['statusMessage'].slice(0, 500)} />}
        </div>
      )}
      {logs.length > 0 && (
        <details class="try-details" open={!isOver}>
          <summary>{countOf(logs.length, 'log message')}</summary>
          <ul class="try-logs">
            {logs.slice(-50).map(({ level, text, logger }, index) => (
              <li key={index}>
                <Badge
                  kind={
                    level === 'error' || level === 'critical'
                      ? 'error'
                      : level === 'warning'
                        ? 'warning'
                        : 'plain'
                  }
                >
                  {level.slice(0, 20)}
                </Badge>
                {logger !== undefined && <Name value={logger.slice(0, 60)} />}
                <Text value={text.slice(0, 2_000)} clamp={3} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Measured({ call }: { readonly call: Call }) {
  const rounds = measuredCalls(call.trace);
  const { fault, frame } = rounds.at(-1) ?? {};
  const longest = Math.max(...rounds.map(({ ms }) => ms));
  return (
    <>
      {rounds.map(({ id, steps, ms }, index) => (
        <StepsBar
          key={id}
          steps={steps}
          ms={ms}
          max={longest}
          title={rounds.length > 1 ? `Round ${index + 1} of ${rounds.length}, ${formatMs(ms)}` : undefined}
        />
      ))}
      {fault !== undefined && <FaultView fault={fault} frame={frame} />}
    </>
  );
}

function addScopes(scopes: readonly string[]): void {
  const { caller = {} } = perspective.value;
  perspective.value = {
    ...perspective.value,
    caller: { ...caller, scopes: [...new Set([...(caller.scopes ?? []), ...scopes])] },
  };
}

/** Shows the outcome of a call: its result, its error, or why there is neither. */
export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.kind === 'cancelled')
    return <Notice kind="note">The call was cancelled. It may have taken effect.</Notice>;
  if (outcome.kind === 'failure') return <FailureView failure={outcome} onAddScopes={addScopes} />;
  const { result } = outcome;
  const report = reportOf(result);
  return (
    <div class="stack">
      <Cuts meta={result['_meta']} />
      {report ? <ErrorView report={report} onAddScopes={addScopes} /> : <Parts result={result} />}
    </div>
  );
}

/** Maximum number of rendered parts, because a hostile server may send millions. */
const MAX_PARTS = 100;

function Parts({ result }: { readonly result: Readonly<Record<string, unknown>> }) {
  const { messages } = result;
  if (Array.isArray(messages))
    return (
      <>
        {typeof result['description'] === 'string' && <Text value={result['description']} clamp={4} />}
        {(messages as unknown[]).slice(0, MAX_PARTS).map((message, index) => (
          <Turn key={index} message={message} />
        ))}
      </>
    );
  const parts = partsOf(result);
  if (parts.length === 0) return <p class="soft">The result has no content.</p>;
  return (
    <>
      {parts.slice(0, MAX_PARTS).map((part, index) => (
        <PartView key={index} part={part} label={parts.length === 1 ? 'result' : `part ${index + 1}`} />
      ))}
      {parts.length > MAX_PARTS && (
        <p class="soft">{countOf(parts.length - MAX_PARTS, 'more part')} in the raw result.</p>
      )}
    </>
  );
}

/** Lists the parts of a result that the server's output budget removed. */
function Cuts({ meta }: { readonly meta: unknown }) {
  const cuts = isRecord(meta) ? meta['toolfold/cut'] : undefined;
  if (!Array.isArray(cuts) || cuts.length === 0) return null;
  return (
    <Notice kind="warning">
      <p>The output budget of the server cut the result:</p>
      <ul>
        {(cuts as unknown[]).slice(0, 10).map((cut, index) => {
          const { path, kept, of, unit } = isRecord(cut) ? cut : {};
          return (
            <li key={index}>
              <Name
                value={Array.isArray(path) && path.length > 0 ? path.join('.').slice(0, 100) : 'the result'}
              />
              : {String(kept).slice(0, 20)} of {String(of).slice(0, 20)} {String(unit).slice(0, 20)}
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}
