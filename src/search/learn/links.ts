/** The contribution of one caller to a link. */
export interface Contribution {
  /** A digest of the caller. */
  readonly caller: string;
  /** The credits of its calls at the time `at`, at most `MAX_CREDIT`. */
  readonly credit: number;
  readonly at: number;
}

/** The link of a word with a tool. */
export interface Link {
  readonly address: string;
  readonly contributions: readonly Contribution[];
}

/** How links grow and fade. */
export interface LinkRules {
  readonly halfLifeMs: number;
  /** Number of callers that make a link fully strong. */
  readonly minCallers: number;
}

/** A caller that repeats a call any number of times counts like one that makes four calls. */
const MAX_CREDIT = 4;
/** Two calls with the same word are a coincidence: words of questions that were written independently hardly repeat. */
const CHANCE = 2;
/** Maximum number of tools that one word is linked with. */
const MAX_LINKS = 8;
/** Credits below this amount are dropped. */
const LEAST_CREDIT = 0.05;
/** The number of half-lives after which a full credit is dropped. */
export const FADING = Math.ceil(Math.log2(MAX_CREDIT / LEAST_CREDIT));

/** Links a word with a tool, or strengthens their link. */
export function addCredit(
  links: readonly Link[],
  address: string,
  { caller, credit, at }: Contribution,
  rules: LinkRules,
): readonly Link[] {
  const others = links.filter((link) => link.address !== address);
  const own = links.find((link) => link.address === address)?.contributions ?? [];
  const before = own.find((each) => each.caller === caller);
  const sum = credit + (before ? creditOf(before, at, rules) : 0);
  const contributions = [
    { caller, credit: round(Math.min(MAX_CREDIT, sum)), at },
    ...own
      .filter((each) => each.caller !== caller)
      .toSorted((one, other) => creditOf(other, at, rules) - creditOf(one, at, rules)),
  ].slice(0, maxCallers(rules));
  // The weakest link makes room, but never the new one, because it would have no chance to grow.
  const kept = others
    .toSorted((one, other) => sumOf(other, at, rules) - sumOf(one, at, rules))
    .slice(0, MAX_LINKS - 1);
  return [{ address, contributions }, ...kept];
}

/** More callers than make a link fully strong are remembered, so that it stays strong when one of them fades. */
function maxCallers({ minCallers }: LinkRules): number {
  return Math.max(4, 2 * minCallers);
}

/** Drops contributions that have faded, and links without any. */
export function withoutFaded(links: readonly Link[], now: number, rules: LinkRules): readonly Link[] {
  return links.flatMap(({ address, contributions }) => {
    const left = contributions.filter((each) => creditOf(each, now, rules) >= LEAST_CREDIT);
    return left.length > 0 ? [{ address, contributions: left }] : [];
  });
}

function creditOf({ credit, at }: Contribution, now: number, { halfLifeMs }: LinkRules): number {
  // A clock that was set back must not strengthen a link.
  return credit * 2 ** -(Math.max(0, now - at) / halfLifeMs);
}

function sumOf({ contributions }: Link, now: number, rules: LinkRules): number {
  return contributions.reduce((sum, each) => sum + creditOf(each, now, rules), 0);
}

/** The share of the callers that a link needs to be fully strong. */
function supportOf({ contributions }: Link, now: number, rules: LinkRules): number {
  const callers = contributions.reduce((sum, each) => sum + Math.min(1, creditOf(each, now, rules)), 0);
  return Math.min(1, callers / rules.minCallers);
}

/** The strength of a link, and the share of the callers that it needs, both from 0 to 1. */
export interface LinkStrength {
  readonly address: string;
  readonly strength: number;
  readonly support: number;
}

/** The strengths of the links of one word. A link is weaker the more calls the word has of other tools. */
export function strengthsOf(links: readonly Link[], now: number, rules: LinkRules): readonly LinkStrength[] {
  const sums = links.map((link) => sumOf(link, now, rules));
  const total = sums.reduce((sum, each) => sum + each, 0);
  return links.map((link, at) => {
    const support = supportOf(link, now, rules);
    const certain = Math.max(0, (sums[at] ?? 0) - CHANCE) / (total + 1);
    return { address: link.address, strength: round(certain * support), support };
  });
}

/** A question lifts at most this many tools, so feedback of any kind moves a tool down by at most as many places. */
export const MAX_LIFTED = 3;
/** Weaker connections are noise. */
const LEAST_STRENGTH = 0.05;

/**
 * How strongly the words of a question are connected with tools: the sum of the links of its words, at most 1. Few callers cannot
 * reach full strength with many words either.
 */
export function combine(
  wordLinks: readonly (readonly Link[])[],
  now: number,
  rules: LinkRules,
): ReadonlyMap<string, number> {
  const lifts = new Map<string, { sum: number; support: number }>();
  for (const links of wordLinks) {
    for (const { address, strength, support } of strengthsOf(links, now, rules)) {
      if (strength === 0) continue;
      const lift = lifts.get(address) ?? { sum: 0, support: 0 };
      lifts.set(address, { sum: lift.sum + strength, support: Math.max(lift.support, support) });
    }
  }
  const strongest = [...lifts]
    .map(([address, { sum, support }]) => [address, round(Math.min(sum, support))] as const)
    .filter(([, strength]) => strength >= LEAST_STRENGTH)
    .toSorted(([one, strength], [other, stronger]) => stronger - strength || (one < other ? -1 : 1));
  return new Map(strongest.slice(0, MAX_LIFTED));
}

/** Three decimals are enough, and keep stored texts short. */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
