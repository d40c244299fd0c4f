import { copySearchWords, findSearchProblem } from 'toolfold/internal';
import type { SearchWords } from 'toolfold';
import { ErrInvalidOptions } from 'toolfold/errors';
import { clip, describeKind, isPlain } from '@toolfold/schema/internal';

/** Search words by address, for tools that are defined elsewhere: the content of a file `search.json`. */
export interface SearchSidecar {
  /** Must be 1. Later formats will have other numbers. */
  readonly version: 1;
  /** Maps addresses to words. The search adds them to those of the tool's definition. */
  readonly tools: Readonly<Record<string, SearchWords>>;
}

export type SidecarWords = ReadonlyMap<string, SearchWords>;

const MAX_TOOLS = 20_000;
const MAX_ADDRESS = 1_024;
const fields = new Set(['version', 'tools']);

/** Returns what is wrong with a sidecar, beginning with the place, or `undefined`. A sidecar is untrusted JSON. */
export function findSidecarProblem(sidecar: unknown): string | undefined {
  if (!isPlain(sidecar)) return ` must be { "version": 1, "tools": { … } }, but is ${describeKind(sidecar)}.`;
  const { version, tools } = sidecar;
  if (version !== 1)
    return `.version must be 1, but is ${typeof version === 'string' ? 'text' : describeKind(version)}.`;
  const unknown = Object.keys(sidecar).find((field) => !fields.has(field));
  if (unknown !== undefined)
    return ` has no field ${JSON.stringify(clip(unknown, 40))}. Its fields are version and tools.`;
  if (!isPlain(tools)) return `.tools must be an object by address, but is ${describeKind(tools)}.`;
  const all = Object.entries(tools);
  if (all.length > MAX_TOOLS)
    return `.tools must have at most ${MAX_TOOLS} addresses, but has ${all.length}.`;
  for (const [address, words] of all) {
    const place = `.tools[${JSON.stringify(clip(address))}]`;
    if (address.trim() === '' || address.length > MAX_ADDRESS)
      return `${place} must have an address of 1 to ${MAX_ADDRESS} characters.`;
    const problem = findSearchProblem(words);
    if (problem !== undefined) return `${place}${problem}`;
  }
  return undefined;
}

const readSidecars = new WeakMap<SearchSidecar, SidecarWords>();

/** Checks a sidecar and copies its words, so that later changes of the object have no effect. */
export function readSidecar(sidecar: SearchSidecar): SidecarWords {
  const known = readSidecars.get(sidecar);
  if (known) return known;
  const problem = findSidecarProblem(sidecar);
  if (problem !== undefined) throw new ErrInvalidOptions(`search.sidecar${problem}`);
  const words = new Map<string, SearchWords>();
  for (const [address, given] of Object.entries(sidecar.tools)) {
    const copy = copySearchWords(given);
    if (copy) words.set(address, copy);
  }
  readSidecars.set(sidecar, words);
  return words;
}

export function joinSearchWords(
  own: SearchWords | undefined,
  added: SearchWords | undefined,
): SearchWords | undefined {
  if (!own || !added) return own ?? added;
  return copySearchWords({
    keywords: [...(own.keywords ?? []), ...(added.keywords ?? [])],
    examples: [...(own.examples ?? []), ...(added.examples ?? [])],
  });
}
