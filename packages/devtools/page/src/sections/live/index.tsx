// oxlint-disable-next-line import/no-unassigned-import -- The styles of the section belong to its chunk.
import './live.css';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/client.js';
import { replaceRest, route } from '../../routes.js';
import { ErrorState } from '../../ui/feedback.js';
import { formatCount, formatShare } from '../../ui/figures.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { CallsPanel } from './calls-panel.js';
import { LiveCharts } from './charts.js';
import { live, loadStatistics } from './store/feed.js';
import { formatDuration, writeTime } from './figures.js';
import { FilterBar } from './filter-bar.js';
import { readFilters, writeFilters } from './filters.js';
import type { LiveFilters, LiveTab } from './filters.js';
import { Failures, Questions, ToolsTable } from './tables.js';

/** Section that shows calls as they arrive, with statistics about all of them. */
export function Live() {
  const [error, setError] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    loadStatistics(controller.signal).then(
      () => setError(undefined),
      (problem: unknown) => {
        if (!controller.signal.aborted)
          setError(problem instanceof ApiError ? problem : new ApiError(String(problem)));
      },
    );
    return () => controller.abort();
  }, [attempt]);
  const { rest } = route.value;
  const read = readFilters(rest);
  const filters = rest === '' ? { ...read, tab: lastTab.value } : read;
  return (
    <Page title="Live" actions={<Totals />}>
      {error && <ErrorState error={error} onRetry={() => setAttempt(attempt + 1)} />}
      <LiveCharts />
      <Contents filters={filters} onChange={changeFilters} />
    </Page>
  );
}

/** The tab to which the navigation returns. The filters are reset. */
const lastTab = signal<LiveTab>('calls');

function changeFilters(filters: LiveFilters): void {
  lastTab.value = filters.tab;
  replaceRest('live', writeFilters(filters));
}

function Contents({
  filters,
  onChange,
}: {
  readonly filters: LiveFilters;
  readonly onChange: (filters: LiveFilters) => void;
}) {
  const { tools = [], failures = [], questions = [] } = live.statistics.value ?? {};
  const misses = questions.filter(({ isMiss }) => isMiss).length;
  return (
    <Tabs
      label="Live"
      value={filters.tab}
      onChange={(tab) => onChange({ ...filters, tab })}
      tabs={[
        {
          key: 'calls',
          label: 'Calls',
          render: () => (
            <div class="stack">
              <FilterBar filters={filters} tools={tools} onChange={onChange} />
              <CallsPanel filters={filters} />
            </div>
          ),
        },
        { key: 'tools', label: counted('By tool', tools.length), render: () => <ToolsTable tools={tools} /> },
        {
          key: 'errors',
          label: counted('Error groups', failures.length),
          render: () => <Failures failures={failures} />,
        },
        {
          key: 'questions',
          label: counted('Search questions', questions.length),
          render: () => (
            <div class="stack">
              {misses > 0 && (
                <p class="soft small">
                  {misses === 1
                    ? '1 question found nothing.'
                    : `${formatCount(misses)} questions found nothing.`}{' '}
                  Open one to see why.
                </p>
              )}
              <Questions questions={questions} />
            </div>
          ),
        },
      ]}
    />
  );
}

function counted(name: string, count: number) {
  return (
    <>
      {name}
      {count > 0 && <span class="live-count number">{formatCount(count)}</span>}
    </>
  );
}

/** Shows statistics about all calls since the server started, including those that are not listed. */
function Totals() {
  const statistics = live.statistics.value;
  if (!statistics) return null;
  const { calls, errors, since, tools } = statistics;
  // The call list is updated more often than the statistics, so its total may be higher.
  const total = Math.max(calls, live.counts.value.total);
  const slowest = tools.reduce<(typeof tools)[number] | undefined>(
    (worst, tool) => (worst === undefined || tool.p95 > worst.p95 ? tool : worst),
    undefined,
  );
  return (
    <dl class="live-totals" data-testid="totals">
      <div>
        <dt>Calls since {writeTime(since)}</dt>
        <dd data-testid="total-calls">{formatCount(total)}</dd>
      </div>
      <div>
        <dt>Errors</dt>
        <dd>
          {formatCount(errors)} <span class="soft small">{calls > 0 && formatShare(errors, calls)}</span>
        </dd>
      </div>
      {slowest && (
        <div class="live-slowest">
          <dt>Slowest tool by p95</dt>
          <dd>
            {formatDuration(slowest.p95)} <bdi class="soft small mono">{slowest.address.slice(0, 60)}</bdi>
          </dd>
        </div>
      )}
    </dl>
  );
}
