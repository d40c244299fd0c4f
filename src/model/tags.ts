/** Derives tags from the tags that an author wrote. */
export type TagStrategy = (tags: readonly string[]) => string[];

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 64;

/**
 * The form in which policies compare tags. Two tags are the same if they differ only in case, in surrounding white space or in
 * how Unicode composes their characters. Nothing is dropped, shortened or merged, so a policy never misses a tag that it names.
 */
export function toComparableTag(tag: string): string {
  return tag.normalize('NFC').trim().toLowerCase().normalize('NFC');
}

/**
 * A strategy for short, searchable ASCII tags: lower-case, at most 20 tags of 64 characters each, in the order in which they
 * were written. Other characters are dropped.
 */
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
