import { forms } from '@toolfold/analysis/internal';
import { readName, readParameters } from '../http/read-request.js';
import type { Others } from '../page-api.js';
import { costOf, surfacesOf } from './cost/cost.js';
import { declarationsOf } from './declarations.js';
import { diffOf } from './diff.js';
import { shownProfiles } from './form/forms.js';
import type { FormAndProfile } from './form/forms.js';
import { listingOf } from './form/listing.js';
import { itemFindingsOf, itemOf } from './item.js';
import { searchReportOf } from './search.js';
import { serverInfoOf } from './server-info.js';
import type { Snapshot } from './snapshot.js';
import { treeFindingsOf, treeOf, treeTokensOf } from './tree.js';
import { readPerspective } from './view/perspective.js';
import { viewReportOf } from './view/view-report.js';

export interface ApiRequest {
  readonly url: URL;
  readonly body: unknown;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: (snapshot: Snapshot, request: ApiRequest) => Promise<unknown>;
}

/** Endpoints by path. `page-api.ts` defines their answers. */
export const routes: Readonly<Record<string, Route>> = {
  '/api/server': withoutParameters(serverInfoOf),
  '/api/tree': withoutParameters(treeOf),
  '/api/tree/tokens': withoutParameters(treeTokensOf),
  '/api/tree/findings': withoutParameters(treeFindingsOf),
  '/api/item': get(async (snapshot, { url, signal }) => {
    const { address } = readParameters(url, ['address']);
    return itemOf(snapshot, address, signal);
  }),
  '/api/item/findings': get(async (snapshot, { url, signal }) => {
    const { address } = readParameters(url, ['address']);
    return itemFindingsOf(snapshot, address, signal);
  }),
  '/api/listing': get(async (snapshot, { url, signal }) => {
    const { address, form, profile } = readParameters(url, ['address', 'form', 'profile']);
    return listingOf(snapshot, address, readForm(form, profile), signal);
  }),
  '/api/cost': get(async (snapshot, { url, signal }) => {
    const { form, profile } = readParameters(url, ['form', 'profile']);
    return costOf(snapshot, readForm(form, profile), signal);
  }),
  '/api/surfaces': withoutParameters(surfacesOf),
  '/api/view': {
    method: 'POST',
    answer: async (snapshot, { url, body, signal }) => {
      readParameters(url, []);
      return viewReportOf(snapshot, readPerspective(body), signal);
    },
  },
  '/api/search': get(async (snapshot, { url, signal }) => {
    const { query, limit } = readParameters(url, ['query'], ['limit'], ['tool']);
    return searchReportOf(snapshot, { query, limit, tools: url.searchParams.getAll('tool') }, signal);
  }),
  '/api/declarations': withoutParameters(declarationsOf),
  '/api/diff': withoutParameters(diffOf),
  '/api/others': withoutParameters(async ({ loaded: { registry } }): Promise<Others> => ({
    prompts: registry.listPrompts(),
    resources: registry.listResources(),
    templates: registry.listResourceTemplates(),
  })),
};

function get(answer: Route['answer']): Route {
  return { method: 'GET', answer };
}

function withoutParameters(answer: (snapshot: Snapshot, signal: AbortSignal) => Promise<unknown>): Route {
  return get(async (snapshot, { url, signal }) => {
    readParameters(url, []);
    return answer(snapshot, signal);
  });
}

function readForm(form: string, profile: string): FormAndProfile {
  return { form: readName('form', form, forms), profile: readName('profile', profile, shownProfiles) };
}
