import type { Form, ServerInfo, ShownProfile } from '../../../../src/page-api.js';

/** The state of the section as stored in the route. */
export interface CostRoute {
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly view: 'map' | 'bars';
  /** Names of the opened nodes, from the root. */
  readonly path: readonly string[];
}

type Defaults = Pick<ServerInfo, 'form' | 'profile' | 'forms' | 'profiles'>;

export function readCostRoute(rest: string, info: Defaults): CostRoute {
  const query = new URLSearchParams(rest);
  return {
    form: info.forms.find(({ form }) => form === query.get('form'))?.form ?? info.form,
    profile: info.profiles.find((profile) => profile === query.get('profile')) ?? info.profile,
    view: query.get('view') === 'bars' ? 'bars' : 'map',
    path: query.getAll('in'),
  };
}

export function writeCostRoute({ form, profile, view, path }: CostRoute): string {
  const query = new URLSearchParams({ form, profile, view });
  for (const name of path) query.append('in', name);
  return query.toString();
}
