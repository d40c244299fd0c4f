/**
 * What came of asking for a key: the text that is there; or a number for the run that may begin, above those of all runs
 * before it; or that its owner has too many.
 */
export type Claim =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'ours'; readonly token: number }
  | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly key: string;
  /** What is there from then on, where nothing is. */
  readonly text: string;
  readonly ttlMs: number;
  /** Whose it is. */
  readonly owner: string;
}

/** A key that was never asked for. Where asking fails in another way, the key may be taken and nobody know of it. */
export class Unasked extends Error {}

/** Decides who runs what: each key is one process's. */
export interface Claims {
  /** Takes a key where nobody has it, in one step. Rejects with `Unasked` where it is certain that it is not taken. */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Gives a key back as if it had never been claimed, where one of these texts is there. */
  free(key: string, owner: string, texts: readonly string[]): Promise<void>;
}

/** So many keys one owner can have claimed within the time that they are kept for. */
export const MAX_PER_OWNER = 10_000;

/** Numbers of which each is above all that were given out before, to whichever process. */
export interface Sequence {
  /** A number above all that it gave before. */
  next(): Promise<number>;
}
