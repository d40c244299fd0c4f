import type { Fault } from '../../../../../src/page-events.js';
import { codeNames } from '../../../mcp/describe-failure.js';
import type { Failure } from '../../../mcp/describe-failure.js';
import { Badge } from '../../../ui/badge.js';
import { Button, LinkButton } from '../../../ui/button.js';
import { Notice } from '../../../ui/feedback.js';
import { formatMs } from '../../../ui/figures.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { StackTrace } from '../../../ui/stack-trace.js';
import { Text } from '../../../ui/text.js';
import { linkTo } from '../../../routes.js';
import { isRecord } from '../form/json.js';
import { factsOf, isMistake } from './error-report.js';
import type { ErrorReport } from './error-report.js';

interface ErrorViewProps {
  readonly report: ErrorReport;
  /** Adds the missing scopes to the caller. */
  readonly onAddScopes?: ((scopes: readonly string[]) => void) | undefined;
}

/** Shows an error that the tool reported: its message and its suggestions. */
export function ErrorView({ report, onAddScopes }: ErrorViewProps) {
  const { code, message, suggestions, details } = report;
  return (
    <div class="stack">
      <Notice kind="error">
        <div class="stack stack-tight">
          {code !== undefined && (
            <div>
              <Badge kind="error">{code}</Badge>
            </div>
          )}
          <Text value={message} clamp={12} />
        </div>
      </Notice>
      <Advice report={report} onAddScopes={onAddScopes} />
      {suggestions.length > 0 && (
        <div class="stack stack-tight">
          <h3 class="try-subheading">Suggestions</h3>
          <ul class="try-suggestions">
            {suggestions.map((suggestion) => (
              <li key={suggestion}>
                <Text value={suggestion} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {Object.keys(details).length > 0 && (
        <JsonView value={details} label="details of the error" openDepth={1} />
      )}
    </div>
  );
}

function Advice({ report: { scopes, retryAfterMs, problems }, onAddScopes }: ErrorViewProps) {
  return (
    <>
      {scopes.length > 0 && (
        <div class="row">
          <span>The caller needs</span>
          {scopes.map((scope) => (
            <Badge key={scope} kind="outline">
              {scope}
            </Badge>
          ))}
          {onAddScopes && (
            <Button isSmall onClick={() => onAddScopes(scopes)}>
              Give the caller these scopes
            </Button>
          )}
          <LinkButton isSmall kind="quiet" href={linkTo('views')}>
            Change the caller
          </LinkButton>
        </div>
      )}
      {retryAfterMs !== undefined && <p>Try again in {formatMs(retryAfterMs)}.</p>}
      {problems.length > 0 && (
        <p class="soft">
          {problems.length === 1 ? 'The field with the problem is' : 'The fields with problems are'} marked in
          the form.
        </p>
      )}
    </>
  );
}

/** Shows an error of the protocol or of the connection. */
export function FailureView({
  failure,
  onAddScopes,
}: {
  readonly failure: Failure;
  readonly onAddScopes?: ErrorViewProps['onAddScopes'];
}) {
  const { code, message, hint, data } = failure;
  const details = isRecord(data) ? (isRecord(data['details']) ? data['details'] : data) : {};
  const facts = factsOf(details);
  return (
    <div class="stack">
      <Notice kind="error">
        <div class="stack stack-tight">
          {code !== undefined && (
            <div class="row">
              <Badge kind="error">{String(code)}</Badge>
              <span class="soft small">{codeNames[code] ?? 'error'}</span>
            </div>
          )}
          <Text value={message} clamp={12} />
          {hint !== undefined && (
            <span class="soft">
              <Text value={hint} />
            </span>
          )}
        </div>
      </Notice>
      <Advice report={{ message, suggestions: [], ...facts }} onAddScopes={onAddScopes} />
      {data !== undefined && <JsonView value={data} label="data of the error" />}
    </div>
  );
}

/** Shows an error in the author's code. It is expanded if it helps to find a bug. */
export function FaultView({ fault = '', frame }: Fault) {
  return (
    <details class="try-details" open={isMistake(fault)}>
      <summary>Stack trace</summary>
      <StackTrace fault={fault} frame={frame} />
    </details>
  );
}
