interface Compared {
  readonly text: string;
  readonly name: string;
  readonly nameWords: ReadonlySet<string>;
}

/** Maximum number of compared words: of one text, and of all texts. The rest of a text is ignored. */
const MAX_WORDS = 300;
const MAX_ALL_WORDS = 300_000;
/** In texts with fewer words, one word already changes the meaning, so only equal texts are reported. */
const MIN_WORDS = 8;
const MIN_SHARED = 0.8;
/** Skips pairs of words that occur in more texts: they say little and would make the search quadratic. */
const MAX_COMMON = 64;
/** Maximum number of counted candidates, which takes about half a second. */
const MAX_WORK = 5_000_000;

/**
 * Finds groups of texts that say the same. Texts whose differing words also tell their names apart are not the same:
 * "Lists the labels of …" for `list_labels` and "Lists the tags of …" for `list_tags`.
 */
export function findNearDuplicates(texts: readonly Compared[]): number[][] {
  const most = Math.max(MIN_WORDS, Math.min(MAX_WORDS, Math.floor(MAX_ALL_WORDS / texts.length)));
  const parsed = texts.map(({ text }) => textWords(text).slice(0, most));
  const group = texts.map((_, index) => index);
  const joinOf = (index: number): number => {
    let root = index;
    while (group[root] !== root) root = group[root] ?? root;
    return root;
  };
  const byText = new Map<string, number>();
  for (const [index, { text }] of texts.entries()) {
    const key = textWords(text).join(' ');
    const first = byText.get(key);
    if (first === undefined) byText.set(key, index);
    else group[joinOf(index)] = joinOf(first);
  }
  for (const [one, two] of candidatesOf(parsed))
    if (joinOf(one) !== joinOf(two) && isSame(texts, parsed, one, two)) group[joinOf(two)] = joinOf(one);
  const members = new Map<number, number[]>();
  for (const index of texts.keys()) {
    const root = joinOf(index);
    const known = members.get(root);
    if (known) known.push(index);
    else members.set(root, [index]);
  }
  return [...members.values()].filter((each) => each.length > 1);
}

function textWords(text: string): string[] {
  return (
    text
      .slice(0, 8_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).slice(0, MAX_WORDS);
}

/** Yields pairs of texts that share most of their word pairs. Skips common word pairs, and limits the work. */
function* candidatesOf(parsed: readonly (readonly string[])[]): Generator<readonly [number, number]> {
  const holders = new Map<string, number[]>();
  const pairsOf = parsed.map((words) => new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`)));
  for (const [index, pairs] of pairsOf.entries()) {
    if ((parsed[index]?.length ?? 0) < MIN_WORDS) continue;
    for (const pair of pairs) {
      const list = holders.get(pair);
      if (list) list.push(index);
      else holders.set(pair, [index]);
    }
  }
  let work = 0;
  for (const [index, pairs] of pairsOf.entries()) {
    if ((parsed[index]?.length ?? 0) < MIN_WORDS) continue;
    const shared = new Map<number, number>();
    let rare = 0;
    for (const pair of pairs) {
      const list = holders.get(pair) ?? [];
      if (list.length > MAX_COMMON) continue;
      rare++;
      for (const other of list) if (other < index) shared.set(other, (shared.get(other) ?? 0) + 1);
      work += list.length;
      if (work > MAX_WORK) return;
    }
    for (const [other, count] of shared) if (count >= rare * MIN_SHARED) yield [other, index];
  }
}

function isSame(
  texts: readonly Compared[],
  parsed: readonly (readonly string[])[],
  one: number,
  two: number,
): boolean {
  const [first, second] = [new Set(parsed[one]), new Set(parsed[two])];
  const differing = [...first].filter((word) => !second.has(word));
  differing.push(...[...second].filter((word) => !first.has(word)));
  const all = new Set([...first, ...second]).size;
  if (differing.length > all * (1 - MIN_SHARED)) return false;
  if (!sharesFirstSentence(texts[one], texts[two])) return false;
  // A text that mentions the other tool explains the difference.
  if (mentions(texts[one], texts[two]) || mentions(texts[two], texts[one])) return false;
  const [oneName, twoName] = [texts[one]?.nameWords, texts[two]?.nameWords];
  return !differing.some((word) => isInOnlyOne(word, oneName, twoName));
}

/** Texts may share a long standard part, so compares the first sentences, which tell tools apart. */
function sharesFirstSentence(one: Compared | undefined, two: Compared | undefined): boolean {
  const [first, second] = [one, two].map(
    (each) => new Set(textWords((each?.text ?? '').slice(0, 8_000).split(/[.!?](?:\s|$)|\n/, 1)[0] ?? '')),
  ) as [Set<string>, Set<string>];
  const common = [...first].filter((word) => second.has(word)).length;
  return common * 2 >= first.size + second.size - common;
}

function mentions(one: Compared | undefined, two: Compared | undefined): boolean {
  if (!one || !two || two.name.length < 3) return false;
  // A name may contain the other one, as `assign_issue_with_intent` contains `assign_issue`.
  return one.text.slice(0, 8_000).replaceAll(one.name, '').includes(two.name);
}

/** Whether a word of a text, or its stem, is in one of the two names but not in the other. */
function isInOnlyOne(
  word: string,
  one: ReadonlySet<string> | undefined,
  two: ReadonlySet<string> | undefined,
): boolean {
  const has = (names: ReadonlySet<string> | undefined): boolean =>
    [...(names ?? [])].some((name) => {
      const length = Math.min(name.length, word.length, 5);
      return length >= 3 && name.slice(0, length) === word.slice(0, length);
    });
  return has(one) !== has(two);
}
