/** The state of the section. It is stored in the route, so that a link shows the same. */
export interface SearchRoute {
  readonly query: string;
  /** A second query to compare with. */
  readonly other: string | undefined;
  /** The tool for which the page explains why the search does not return it. */
  readonly tool: string | undefined;
}

export function readSearchRoute(rest: string): SearchRoute {
  // Other sections link here with a plain query instead of a list of fields.
  if (!/^(?:query|other|tool)=/.test(rest)) return { query: rest, other: undefined, tool: undefined };
  const read = new URLSearchParams(rest);
  return {
    query: read.get('query') ?? '',
    other: read.get('other') ?? undefined,
    tool: read.get('tool') ?? undefined,
  };
}

export function writeSearchRoute({ query, other, tool }: SearchRoute): string {
  const written = new URLSearchParams();
  if (query !== '') written.set('query', query);
  if (other !== undefined) written.set('other', other);
  if (tool !== undefined) written.set('tool', tool);
  return written.toString();
}
