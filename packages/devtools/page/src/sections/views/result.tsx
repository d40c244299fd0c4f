import { useMemo } from 'preact/hooks';
import type { ViewReport } from '../../../../src/page-api.js';
import { server } from '../../api/stores.js';
import { perspective } from '../../perspective.js';
import { goTo, linkTo, route } from '../../routes.js';
import { Scopes } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { EmptyState } from '../../ui/feedback.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { VirtualList } from '../../ui/list/virtual-list.js';
import { Tabs } from '../../ui/tabs.js';
import { Name, Text, visibleText } from '../../ui/text.js';
import { hiddenRows } from './hidden-rows.js';
import { readPerspective } from './perspective-route.js';

/** Lists the tools that the caller would see, and why others are hidden. */
export function Result({ report }: { readonly report: ViewReport }) {
  const { tools, tokens, challenged, hidden, form, profile, reason } = report;
  const tryAs = () => {
    // Use the route, because the choices may be newer than the report.
    perspective.value = { form, profile, ...readPerspective(route.value.rest) };
    goTo('try');
  };
  return (
    <section class="views-result" aria-label="What this caller sees">
      <div class="views-summary">
        <div class="grow">
          <p class="views-figure">
            {countOf(tools.length, 'tool')}, {formatCount(tokens)} tokens
          </p>
          <p class="soft small">
            {form} form, {profile === 'none' ? 'as written' : `profile ${profile}`}
            {reason !== undefined && (
              <>
                : <Text value={reason} />
              </>
            )}
          </p>
        </div>
        {server.value?.canCall === true && (
          <Button kind="primary" icon="try" onClick={tryAs}>
            Try as this caller
          </Button>
        )}
      </div>
      <Tabs
        label="Actions"
        tabs={[
          {
            key: 'listed',
            label: `Listed ${formatCount(tools.length)}`,
            render: () => <Listed report={report} />,
          },
          {
            key: 'challenged',
            label: `Challenged ${formatCount(challenged.length)}`,
            render: () => <Challenged report={report} />,
          },
          {
            key: 'hidden',
            label: `Hidden ${formatCount(hidden.length)}`,
            render: () => <Hidden report={report} />,
          },
        ]}
      />
    </section>
  );
}

function Listed({ report: { tools } }: { readonly report: ViewReport }) {
  if (tools.length === 0)
    return (
      <EmptyState title="This caller sees no tools" icon="views">
        <p>The tab Hidden says why.</p>
      </EmptyState>
    );
  return (
    <div class="views-list">
      <VirtualList label="Listed tools" count={tools.length} rowHeight={52}>
        {(index) => {
          const tool = tools[index];
          if (!tool) return null;
          const [address] = tool.addresses;
          const target = tool.addresses.length === 1 ? address : address?.split('/')[0];
          return (
            <div class="views-row">
              <div class="grow">
                <div class="row">
                  {target === undefined ? (
                    <Name value={tool.name} />
                  ) : (
                    <a href={linkTo('surface', target)}>
                      <Name value={tool.name} />
                    </a>
                  )}
                  {tool.addresses.length > 1 && (
                    <span class="faint small">{countOf(tool.addresses.length, 'action')}</span>
                  )}
                </div>
                <div class="truncate soft small">
                  {tool.description !== undefined && <bdi>{visibleText(tool.description)}</bdi>}
                </div>
              </div>
              <span class="number soft">{formatCount(tool.tokens)}</span>
            </div>
          );
        }}
      </VirtualList>
    </div>
  );
}

function Challenged({ report: { challenged } }: { readonly report: ViewReport }) {
  if (challenged.length === 0)
    return (
      <EmptyState title="Nothing is challenged" icon="lock">
        <p>
          A call is challenged if it needs a scope that the caller lacks, and such actions are not hidden.
        </p>
      </EmptyState>
    );
  return (
    <div class="views-list">
      <VirtualList label="Challenged actions" count={challenged.length} rowHeight={40}>
        {(index) => {
          const item = challenged[index];
          return (
            item && (
              <div class="views-row views-row-low">
                <span class="grow truncate">
                  <a href={linkTo('surface', item.address)}>
                    <Name value={item.address} />
                  </a>
                </span>
                <span class="faint small">needs</span>
                <Scopes scopes={item.scopes} />
              </div>
            )
          );
        }}
      </VirtualList>
    </div>
  );
}

function Hidden({ report: { hidden } }: { readonly report: ViewReport }) {
  const rows = useMemo(() => hiddenRows(hidden), [hidden]);
  if (rows.length === 0) return <EmptyState title="Nothing is hidden from this caller" icon="check" />;
  return (
    <div class="views-list">
      <VirtualList label="Hidden actions" count={rows.length} rowHeight={40} isMeasured>
        {(index) => {
          const row = rows[index];
          if (!row) return null;
          return row.kind === 'reason' ? (
            <div class="views-reason">
              <Text value={row.reason} /> <span class="faint">{formatCount(row.count)}</span>
            </div>
          ) : (
            <div class="views-row views-row-low">
              <span class="grow">
                <a href={linkTo('surface', row.address)}>
                  <Name value={row.address} />
                </a>
                {row.others.map((other) => (
                  <div key={other} class="soft small">
                    <Text value={other} />
                  </div>
                ))}
              </span>
            </div>
          );
        }}
      </VirtualList>
    </div>
  );
}
