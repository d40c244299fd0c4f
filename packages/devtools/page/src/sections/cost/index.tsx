import { useMemo } from 'preact/hooks';
import type { CostReport, Form, ShownProfile } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import { goTo, linkTo, route } from '../../routes.js';
import { Segments } from '../../ui/button.js';
import { EmptyState, Loaded } from '../../ui/feedback.js';
import { Select } from '../../ui/field.js';
import { formatCount, formatShare } from '../../ui/figures.js';
import { Icon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { Name } from '../../ui/text.js';
import { CostBars } from './cost-bars.js';
import { CostMap } from './cost-map.js';
import { findPath, rootOf } from './cost-model.js';
import type { CostItem } from './cost-model.js';
import { Parts } from './cost-parts.js';
import { readCostRoute, writeCostRoute } from './cost-route.js';
import type { CostRoute } from './cost-route.js';
import { SurfacesTable } from './surfaces-table.js';
import './cost.css';

/** The context window of current models, for comparison. */
const CONTEXT = 200_000;

/** Section that shows where the tokens of the tool list go, and what other forms and profiles would cost. */
export function Cost() {
  const info = server.value;
  if (!info) return null;
  const shown = readCostRoute(route.value.rest, info);
  return (
    <Page
      title="Cost"
      lead="Clients send the list of tools with every request. This is what it costs, and where the tokens go."
      actions={<Controls shown={shown} />}
    >
      <Report shown={shown} />
      <Surfaces shown={shown} />
    </Page>
  );
}

function change(shown: CostRoute, part: Partial<CostRoute>): void {
  goTo('cost', writeCostRoute({ ...shown, ...part }));
}

function Controls({ shown }: { readonly shown: CostRoute }) {
  const info = server.value;
  return (
    <>
      <Select<Form>
        label="Form"
        value={shown.form}
        options={(info?.forms ?? []).map(({ form, problem }) => ({
          value: form,
          label: `${form} form`,
          isDisabled: problem !== undefined,
        }))}
        onChange={(form) => change(shown, { form, path: [] })}
      />
      <Select<ShownProfile>
        label="Profile"
        value={shown.profile}
        options={(info?.profiles ?? []).map((profile) => ({
          value: profile,
          label: profile === 'none' ? 'as written' : profile,
        }))}
        onChange={(profile) => change(shown, { profile, path: [] })}
      />
      <Segments
        label="Show as"
        value={shown.view}
        options={[
          { value: 'map', label: 'Map' },
          { value: 'bars', label: 'Bars' },
        ]}
        onChange={(view) => change(shown, { view })}
      />
    </>
  );
}

function Report({ shown }: { readonly shown: CostRoute }) {
  const { form, profile } = shown;
  const report = useResource((signal) => api.cost(form, profile, signal), [form, profile]);
  return (
    <Loaded resource={report} label="Counting tokens">
      {(value) => <ReportView report={value} shown={shown} />}
    </Loaded>
  );
}

function ReportView({ report, shown }: { readonly report: CostReport; readonly shown: CostRoute }) {
  const root = useMemo(() => rootOf(report), [report]);
  const path = findPath(root, shown.path);
  const item = path.at(-1) ?? root;
  const linkOf = (child: CostItem): string | undefined => {
    if (child.children.length > 0)
      return linkTo(
        'cost',
        writeCostRoute({ ...shown, path: [...shown.path.slice(0, path.length - 1), child.name] }),
      );
    return child.address === undefined ? undefined : linkTo('surface', child.address);
  };
  return (
    <section class="stack" aria-label="Tokens">
      <div class="cost-total">
        <span class="cost-figure">{formatCount(item.tokens)}</span>
        <span class="soft">
          {report.isExact ? '' : 'estimated '}tokens: {formatShare(item.tokens, CONTEXT)} of a{' '}
          {formatCount(CONTEXT)}-token context
        </span>
        <span class="faint small cost-counted" title={report.counted}>
          counted with {report.tokenizer}
        </span>
      </div>
      <Crumbs path={path} shown={shown} />
      {item.parts && <Parts value={item.parts} />}
      {item.children.length === 0 ? (
        <EmptyState title="Nothing costs tokens here" icon="cost" />
      ) : shown.view === 'map' ? (
        <CostMap item={item} linkOf={linkOf} />
      ) : (
        <CostBars item={item} linkOf={linkOf} />
      )}
    </section>
  );
}

function Crumbs({ path, shown }: { readonly path: readonly CostItem[]; readonly shown: CostRoute }) {
  if (path.length === 1) return null;
  const last = path.at(-1);
  return (
    <nav class="cost-crumbs" aria-label="Path">
      {path.map((item, depth) => (
        <span key={depth} class="row">
          {depth > 0 && <Icon name="chevron" size={10} />}
          {item === last ? (
            <span aria-current="true">
              <Name value={item.name} />
            </span>
          ) : (
            <a href={linkTo('cost', writeCostRoute({ ...shown, path: shown.path.slice(0, depth) }))}>
              <Name value={item.name} />
            </a>
          )}
        </span>
      ))}
      {last?.address !== undefined && (
        <a class="cost-open" href={linkTo('surface', last.address)}>
          Open in Surface
        </a>
      )}
    </nav>
  );
}

function Surfaces({ shown }: { readonly shown: CostRoute }) {
  const costs = useResource((signal) => api.surfaces(signal), []);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Every form and profile</h2>
        <span class="faint small">{costs.value && `tokens, counted with ${costs.value.tokenizer}`}</span>
      </div>
      <div class="panel-body">
        <Loaded resource={costs} label="Counting every form and profile">
          {(value) => <SurfacesTable costs={value} shown={shown} />}
        </Loaded>
      </div>
    </section>
  );
}
