import { signal } from '@preact/signals';
import { decodePart, wellFormed } from './ui/well-formed.js';

/** The sections of the page, in the order of its navigation. */
export const sections = [
  { key: 'surface', title: 'Surface' },
  { key: 'cost', title: 'Cost' },
  { key: 'try', title: 'Try' },
  { key: 'views', title: 'Views' },
  { key: 'live', title: 'Live' },
  { key: 'search', title: 'Search' },
  { key: 'code', title: 'Code' },
  { key: 'diff', title: 'Diff' },
  { key: 'items', title: 'Prompts and resources' },
] as const;

export type SectionKey = (typeof sections)[number]['key'];

/** Where the page is: `#/section/rest`. The rest belongs to the section, such as the address of a tool. */
export interface Route {
  readonly section: SectionKey;
  readonly rest: string;
}

function readRoute(): Route {
  const [, key = '', rest = ''] = /^#\/(\w+)(?:\/(.*))?$/.exec(location.hash) ?? [];
  const section = sections.find((each) => each.key === key)?.key ?? 'surface';
  return { section, rest: decodePart(rest) };
}

export const route = signal<Route>(readRoute());
addEventListener('hashchange', updateRoute);

function updateRoute(): void {
  const next = readRoute();
  if (next.section !== route.value.section || next.rest !== route.value.rest) route.value = next;
}

/** The link to a section. */
export function linkTo(section: SectionKey, rest = ''): string {
  return rest === '' ? `#/${section}` : `#/${section}/${encodeURIComponent(wellFormed(rest))}`;
}

export function goTo(section: SectionKey, rest = ''): void {
  location.hash = linkTo(section, rest);
  // The event comes later, and keys that are pressed meanwhile must know the new place.
  updateRoute();
}

/** Changes the rest of the route without a new entry in the history, such as while a person types. */
export function replaceRest(section: SectionKey, rest: string): void {
  history.replaceState(history.state, '', linkTo(section, rest));
  route.value = { section, rest };
}
