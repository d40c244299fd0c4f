import { computed, signal } from '@preact/signals';
import type { Form, ShownProfile, TreeNode } from '../../../../src/devtools/page-api.js';
import { findings, server, tree } from '../../api/stores.js';
import type { TreeDecisions } from '../../ui/list/tree.js';
import { filterNodes } from '../../ui/list/tree-model.js';
import { createMatcher, isFiltering, noFilter } from './tree-filter.js';
import type { TreeFilter } from './tree-filter.js';

/** The filter stays while the user looks at other sections. */
export const filter = signal<TreeFilter>(noFilter);

/** Open and closed nodes stay so, too. */
export const treeDecisions = signal<TreeDecisions>(new Map());

/** The nodes that the filter leaves. */
export const shownNodes = computed<readonly TreeNode[]>(() => {
  const nodes = tree.value?.nodes ?? [];
  if (!isFiltering(filter.value)) return nodes;
  return filterNodes(nodes, createMatcher(filter.value, findings.value?.byNode ?? {}));
});

/** The addresses that the tree shows, in its order. */
export const shownAddresses = computed<readonly string[]>(() => [
  ...new Set(shownNodes.value.flatMap(({ address }) => (address === undefined ? [] : [address]))),
]);

/** A column of "What the model reads". */
export interface ListingColumn {
  readonly form: Form;
  readonly profile: ShownProfile;
}

const chosenColumns = signal<readonly ListingColumn[] | undefined>(undefined);

/** The columns: those that the user chose, or the forms of the server in its profile. */
export const columns = computed<readonly ListingColumn[]>(() => {
  const info = server.value;
  if (chosenColumns.value || !info) return chosenColumns.value ?? [];
  return info.forms
    .filter(({ form, problem }) => form !== 'code' && problem === undefined)
    .map(({ form }) => ({ form, profile: info.profile }));
});

export function setColumns(next: readonly ListingColumn[]): void {
  chosenColumns.value = next;
}

/** How inputs are shown. */
export const inputView = signal<'outline' | 'json'>('outline');

/** The rest of the route that shows the server on phones, where the tree and the item are two pages. */
export const ABOUT = '~server';
