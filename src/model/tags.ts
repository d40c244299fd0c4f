/** Turns the tags an author wrote into the tags a tool carries. */
export type TagStrategy = (tags: readonly string[]) => string[];

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 64;

/** The default strategy: short, lower-case, searchable tags in the order in which they were written. */
export const normalizeTags: TagStrategy = (tags) => {
  const kept = new Set<string>();
  for (const tag of tags) {
    const normal = tag
      .toLowerCase()
      .trim()
      .replace(/\s+/g, '-')
      .replace(/[^a-z0-9_.-]/g, '')
      .slice(0, MAX_TAG_LENGTH);
    if (normal) kept.add(normal);
    if (kept.size === MAX_TAGS) break;
  }
  return [...kept];
};
