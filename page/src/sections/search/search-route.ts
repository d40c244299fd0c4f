/** The choices of the section. The route holds them, so that a link shows the same. */
export interface SearchRoute {
  readonly query: string;
  /** A second question, to compare with. */
  readonly other: string | undefined;
  /** The tool about which the page explains why it is not found. */
  readonly tool: string | undefined;
}

export function readSearchRoute(rest: string): SearchRoute {
  // A rest that is no list of fields is a plain question, so that other sections can link to it.
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
