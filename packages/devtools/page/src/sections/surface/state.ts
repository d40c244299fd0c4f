import { computed, signal } from '@preact/signals';
import type { Form, ShownProfile, TreeNode } from '../../../../src/page-api.js';
import { findings, server, tree } from '../../api/stores.js';
import type { TreeDecisions } from '../../ui/list/tree.js';
import { filterNodes } from '../../ui/list/tree-model.js';
import { createMatcher, isFiltering, noFilter } from './tree-filter.js';
import type { TreeFilter } from './tree-filter.js';

/** Filter of the tree. It survives a change of section. */
export const filter = signal<TreeFilter>(noFilter);

/** Nodes that the user expanded or collapsed. They survive a change of section. */
export const treeDecisions = signal<TreeDecisions>(new Map());

/** The nodes that match the filter. */
export const shownNodes = computed<readonly TreeNode[]>(() => {
  const nodes = tree.value?.nodes ?? [];
  if (!isFiltering(filter.value)) return nodes;
  return filterNodes(nodes, createMatcher(filter.value, findings.value?.byNode ?? {}));
});

/** Addresses of the matching nodes, in the order of the tree. */
export const shownAddresses = computed<readonly string[]>(() => [
  ...new Set(shownNodes.value.flatMap(({ address }) => (address === undefined ? [] : [address]))),
]);

/** Form and profile of a column that shows what a model reads. */
export interface ListingColumn {
  readonly form: Form;
  readonly profile: ShownProfile;
}

const chosenColumns = signal<readonly ListingColumn[] | undefined>(undefined);

/**
 * The columns that the user chose. Default: one for each available form except `code`, in the profile of the server.
 */
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

export const inputView = signal<'outline' | 'json'>('outline');

/** Route of the server's page on phones, where tree and item are separate pages. */
export const ABOUT = '~server';
