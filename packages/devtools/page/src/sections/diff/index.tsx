import { useState } from 'preact/hooks';
import type { Change, ChangeSeverity, DiffReport } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/copy.js';
import { EmptyState, ErrorState, Spinner } from '../../ui/feedback.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { Page } from '../../ui/page.js';
import { Name, Text } from '../../ui/text.js';
import { ChangeView } from './change-view.js';
import { groupChanges, severityKinds, severityWords } from './group-changes.js';
import './diff.css';

/** Section that shows how the tools have changed since the lockfile was written, judged by the effect on callers. */
export function Diff() {
  const report = useResource((signal) => api.diff(signal), []);
  const { value, error, isLoading, reload } = report;
  return (
    <Page
      title="Diff"
      lead="Changes since the lockfile was written, sorted by their effect on existing callers."
      actions={
        <Button isSmall icon="reload" disabled={isLoading} onClick={reload}>
          Compare again
        </Button>
      }
    >
      {error && <ErrorState error={error} onRetry={reload} />}
      {value ? <ReportView report={value} /> : isLoading && <Spinner label="Comparing" />}
    </Page>
  );
}

function ReportView({ report: { lockfile, comparison, command } }: { readonly report: DiffReport }) {
  if (!comparison)
    return (
      <div class="panel">
        <EmptyState title="There is no lockfile yet" icon="diff">
          <p>
            A lockfile records what callers rely on: names, schemas, annotations and scopes. Write it to{' '}
            <Name value={lockfile} />, commit it, and this page shows every change with its effect.
          </p>
          <LockCommand command={command} />
        </EmptyState>
      </div>
    );
  const groups = groupChanges(comparison.changes);
  return (
    <>
      <div class="diff-summary">
        <p class="diff-lockfile">
          <Name value={lockfile} />
        </p>
        {groups.map(({ severity, changes }) => (
          <a
            key={severity}
            class="diff-count"
            href={`#diff-${severity}`}
            onClick={(event) => {
              // The URL fragment holds the route, so following the anchor would navigate away.
              event.preventDefault();
              document.getElementById(`diff-${severity}`)?.focus();
            }}
          >
            <Badge kind={severityKinds[severity]}>{`${formatCount(changes.length)} ${severity}`}</Badge>
          </a>
        ))}
      </div>
      {groups.length === 0 ? (
        <div class="panel">
          <EmptyState title="No changes" icon="check">
            <p>The tools match the lockfile.</p>
          </EmptyState>
        </div>
      ) : (
        <>
          {groups.map((group) => (
            <Group key={group.severity} {...group} />
          ))}
          <section class="stack">
            <h2>Accept the changes</h2>
            <p class="soft">This writes the lockfile again. Review it like code.</p>
            <LockCommand command={command} />
          </section>
        </>
      )}
      {comparison.notCompared.length > 0 && (
        <section class="stack stack-tight">
          <h2>Not compared</h2>
          <ul class="diff-unknown soft">
            {comparison.notCompared.map((fact) => (
              <li key={fact}>
                <Text value={fact} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/**
 * Shows a command for the lockfile. A page created by `devtools` does not know the file of the registry, so the command
 * names an example.
 */
function LockCommand({ command }: { readonly command: string }) {
  const { target, name } = server.value ?? {};
  return (
    <div class="diff-command">
      <CodeBlock value={command} label="command" />
      {target === name && (
        <p class="soft small">Replace registry.ts with the file that exports your registry.</p>
      )}
      {command.includes('…') && (
        <p class="soft small">Replace each … with the value that you passed to toolfold ui.</p>
      )}
    </div>
  );
}

const STEP = 50;

interface GroupProps {
  readonly severity: ChangeSeverity;
  readonly changes: readonly Change[];
}

function Group({ severity, changes }: GroupProps) {
  const [limit, setLimit] = useState(STEP);
  return (
    <section class="panel" aria-labelledby={`diff-${severity}`}>
      <div class="panel-head">
        <h2 id={`diff-${severity}`} tabIndex={-1} class="diff-heading">
          <Badge kind={severityKinds[severity]}>{severity}</Badge> {countOf(changes.length, 'change')}
        </h2>
        <span class="soft small">{severityWords[severity]}</span>
      </div>
      <ul class="diff-changes">
        {changes.slice(0, limit).map((change, index) => (
          <li key={index} class="diff-change">
            <ChangeView change={change} />
          </li>
        ))}
      </ul>
      {changes.length > limit && (
        <div class="panel-body">
          <Button isSmall onClick={() => setLimit(limit + STEP)}>
            Show {countOf(Math.min(STEP, changes.length - limit), 'more change')} of{' '}
            {formatCount(changes.length - limit)}
          </Button>
        </div>
      )}
    </section>
  );
}
