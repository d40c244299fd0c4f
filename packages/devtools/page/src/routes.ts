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

/** The route `#/section/rest`. Each section defines its `rest`, such as the address of a tool. */
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
  // A pasted token is not a route. It is removed from the URL at once.
  if (location.hash.startsWith('#token=')) return;
  const next = readRoute();
  if (next.section !== route.value.section || next.rest !== route.value.rest) route.value = next;
}

/** The link to a section. */
export function linkTo(section: SectionKey, rest = ''): string {
  return rest === '' ? `#/${section}` : `#/${section}/${encodeURIComponent(wellFormed(rest))}`;
}

export function goTo(section: SectionKey, rest = ''): void {
  location.hash = linkTo(section, rest);
  // Set the route now, because shortcuts may need it before the event arrives.
  updateRoute();
}

/** Changes the rest of the route without a history entry, such as while the user types. */
export function replaceRest(section: SectionKey, rest: string): void {
  history.replaceState(history.state, '', linkTo(section, rest));
  route.value = { section, rest };
}
