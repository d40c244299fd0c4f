import type { Form, ShownProfile, SurfaceCosts } from '../../../../src/page-api.js';
import { linkTo } from '../../routes.js';
import { classOf } from '../../ui/button.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { Text } from '../../ui/text.js';
import type { CostRoute } from './cost-route.js';
import { writeCostRoute } from './cost-route.js';

interface SurfacesTableProps {
  readonly costs: SurfaceCosts;
  readonly shown: CostRoute;
}

/** Compares the cost of every form for every profile. Each figure links to a view of its tokens. */
export function SurfacesTable({ costs, shown }: SurfacesTableProps) {
  const forms = [...new Set(costs.rows.map(({ form }) => form))];
  const profiles = [...new Set(costs.rows.map(({ profile }) => profile))];
  const cheapest = Math.min(...costs.rows.map((row) => ('tokens' in row ? row.tokens : Infinity)));
  const problems = new Map<string, string[]>();
  for (const row of costs.rows)
    if ('problem' in row)
      problems.set(row.problem, [...(problems.get(row.problem) ?? []), `${row.form} for ${row.profile}`]);
  return (
    <div class="stack">
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Tokens of every form and profile">
        <table class="table cost-table">
          <caption class="visually-hidden">Tokens of every form and profile</caption>
          <thead>
            <tr>
              <th scope="col">Profile</th>
              {forms.map((form) => (
                <th key={form} scope="col" class="number">
                  {form}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {profiles.map((profile) => (
              <tr key={profile}>
                <th scope="row">{profile === 'none' ? 'as written' : profile}</th>
                {forms.map((form) => (
                  <td key={form} class="number">
                    <Cell
                      row={costs.rows.find((row) => row.form === form && row.profile === profile)}
                      link={linkTo('cost', writeCostRoute({ ...shown, form, profile, path: [] }))}
                      isShown={form === shown.form && profile === shown.profile}
                      cheapest={cheapest}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {[...problems].map(([problem, places]) => (
        <p key={problem} class="small soft">
          Not possible ({places.length > 4 ? countOf(places.length, 'place') : places.join(', ')}):{' '}
          <Text value={problem} />
        </p>
      ))}
    </div>
  );
}

interface CellProps {
  readonly row: SurfaceCosts['rows'][number] | undefined;
  readonly link: string;
  readonly isShown: boolean;
  readonly cheapest: number;
}

function Cell({ row, link, isShown, cheapest }: CellProps) {
  if (!row) return null;
  if ('problem' in row) return <span class="faint">not possible</span>;
  const { form, profile, tokens, tools } = row;
  return (
    <a href={link} class="cost-cell" aria-current={isShown ? 'true' : undefined}>
      <span class="visually-hidden">{nameOf(form, profile)}: </span>
      <span class={classOf('cost-tokens', tokens === cheapest && 'cost-cheapest')}>
        {formatCount(tokens)}
      </span>
      <span class="visually-hidden"> tokens, </span>
      <span class="faint small">{countOf(tools, 'tool')}</span>
    </a>
  );
}

function nameOf(form: Form, profile: ShownProfile): string {
  return `${form}, ${profile === 'none' ? 'as written' : profile}`;
}
