import type { LiveStatistics } from '../../../../src/page-events.js';
import { linkTo } from '../../routes.js';
import { Badge } from '../../ui/badge.js';
import { EmptyState } from '../../ui/feedback.js';
import { countOf, formatCount, formatShare } from '../../ui/figures.js';
import { StackTrace } from '../../ui/stack-trace.js';
import { Table } from '../../ui/table.js';
import type { Column } from '../../ui/table.js';
import { Name, Text } from '../../ui/text.js';
import { writeFilters, noFilters } from './filters.js';
import { formatDuration, writeTime } from './figures.js';

type ToolFigures = LiveStatistics['tools'][number];

const toolColumns: readonly Column<ToolFigures>[] = [
  {
    key: 'address',
    title: 'Tool',
    isHead: true,
    sort: ({ address }) => address,
    render: ({ address }) => (
      <a class="live-link" href={linkTo('live', writeFilters({ ...noFilters, tool: address }))}>
        <Name value={address} />
      </a>
    ),
  },
  {
    key: 'calls',
    title: 'Calls',
    isNumber: true,
    sort: ({ calls }) => calls,
    render: ({ calls }) => formatCount(calls),
  },
  {
    key: 'errors',
    title: 'Errors',
    isNumber: true,
    sort: ({ errors }) => errors,
    render: ({ errors, calls }) =>
      errors === 0 ? (
        <span class="faint">0</span>
      ) : (
        <span class="live-errors">{`${formatCount(errors)} (${formatShare(errors, calls)})`}</span>
      ),
  },
  {
    key: 'p50',
    title: 'p50',
    isNumber: true,
    sort: ({ p50 }) => p50,
    render: ({ p50 }) => formatDuration(p50),
  },
  {
    key: 'p95',
    title: 'p95',
    isNumber: true,
    sort: ({ p95 }) => p95,
    render: ({ p95 }) => formatDuration(p95),
  },
  {
    key: 'tokens',
    title: '≈ Tokens',
    isNumber: true,
    sort: ({ tokens }) => tokens,
    render: ({ tokens }) => formatCount(tokens),
  },
];

const byCalls = { key: 'calls', isDescending: true } as const;

export function ToolsTable({ tools }: { readonly tools: LiveStatistics['tools'] }) {
  if (tools.length === 0) return <EmptyState icon="live" title="No tool was called yet" />;
  return (
    <>
      <Table
        caption="Calls, errors, durations and output tokens of each tool"
        columns={toolColumns}
        rows={tools}
        keyOf={({ address }) => address}
        initialSort={byCalls}
      />
      <p class="soft small live-note">
        Durations have an error of at most 5 %. Tokens are estimates for an average result.
        {tools.length >= 200 && ' The 200 tools with the most calls are listed.'}
      </p>
    </>
  );
}

/** Lists the errors. Errors with the same code, address and message are one entry. */
export function Failures({ failures }: { readonly failures: LiveStatistics['failures'] }) {
  if (failures.length === 0)
    return (
      <EmptyState icon="check" title="No errors">
        Errors with the same code and message appear here as one entry.
      </EmptyState>
    );
  return (
    <ul class="live-groups">
      {failures.map((failure) => {
        const { code, address, message, count, first, last, fault, frame } = failure;
        const href = linkTo('live', writeFilters({ ...noFilters, tool: address, outcome: 'error' }));
        return (
          <li key={`${code} ${address} ${message}`} class="live-group">
            <div class="row">
              <Badge kind="error">{code}</Badge>
              <a class="live-link" href={href}>
                <Name value={address} />
              </a>
              <span class="live-times number strong">{countOf(count, 'time')}</span>
            </div>
            <p>
              <Text value={message} clamp={4} />
            </p>
            <p class="soft small">
              {count === 1
                ? `At ${writeTime(last)}`
                : `First at ${writeTime(first)}, last at ${writeTime(last)}`}
            </p>
            {fault !== undefined && (
              <details>
                <summary class="small">Stack of the last error</summary>
                <StackTrace fault={fault} frame={frame} label={`Stack of ${address}`} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const MAX_HITS = 5;

/** Lists the queries that clients sent to the search tools, with their hits. */
export function Questions({ questions }: { readonly questions: LiveStatistics['questions'] }) {
  if (questions.length === 0)
    return (
      <EmptyState icon="search" title="Nobody has searched yet">
        <p>
          Questions of clients to search_tools, which the search and code forms have, appear here with their
          hits.
        </p>
      </EmptyState>
    );
  return (
    <ul class="live-groups">
      {questions.map(({ query, count, last, hits, isMiss }) => (
        <li key={query} class="live-group">
          <div class="row">
            {isMiss ? (
              <Badge kind="warning">miss</Badge>
            ) : (
              <Badge kind="ok">{countOf(hits.length, 'hit')}</Badge>
            )}
            <a class="live-question" href={linkTo('search', query)}>
              <Text value={query} />
            </a>
            <span class="live-times soft small number">
              {count > 1 ? `${countOf(count, 'time')}, last at ` : ''}
              {writeTime(last)}
            </span>
          </div>
          {hits.length > 0 && (
            <ul class="row live-hits">
              {hits.slice(0, MAX_HITS).map(({ address, confidence }) => (
                <li key={address}>
                  <a class="live-link" href={linkTo('surface', address)}>
                    <Name value={address} />
                  </a>
                  {confidence !== undefined && <span class="soft small"> {confidence}</span>}
                </li>
              ))}
              {hits.length > MAX_HITS && <li class="soft small">{`and ${hits.length - MAX_HITS} more`}</li>}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}
