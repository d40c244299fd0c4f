import { copySearchWords, findSearchProblem, type SearchWords } from '../../define/search-words.js';
import { ErrInvalidOptions } from '../../errors.js';
import { describeKind } from '../../values/describe-value.js';
import { isJsonObject } from '../../values/json-value.js';
import { clip } from '../../values/nearest-name.js';

/** Search words by address, for tools that are defined elsewhere: the content of a file `search.json`. */
export interface SearchSidecar {
  /** The version of the format. */
  readonly version: 1;
  /** The words of each tool. They are added to those of its definition. */
  readonly tools: Readonly<Record<string, SearchWords>>;
}

/** The words of a sidecar by address. */
export type SidecarWords = ReadonlyMap<string, SearchWords>;

const MAX_TOOLS = 20_000;
const MAX_ADDRESS = 1_024;
const fields = new Set(['version', 'tools']);

/** Says what is wrong with a sidecar, beginning with the place, or returns `undefined`. A sidecar is untrusted JSON. */
export function findSidecarProblem(sidecar: unknown): string | undefined {
  if (!isJsonObject(sidecar))
    return ` must be { "version": 1, "tools": { … } }, but is ${describeKind(sidecar)}.`;
  const { version, tools } = sidecar;
  if (version !== 1)
    return `.version must be 1, but is ${typeof version === 'string' ? 'text' : describeKind(version)}.`;
  const unknown = Object.keys(sidecar).find((field) => !fields.has(field));
  if (unknown !== undefined)
    return ` has no field ${JSON.stringify(clip(unknown, 40))}. Its fields are version and tools.`;
  if (!isJsonObject(tools)) return `.tools must be an object by address, but is ${describeKind(tools)}.`;
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

/** Checks a sidecar and copies its words, so that a later change of the object has no effect. */
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

/** Adds the words of a sidecar to those of a definition. */
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
