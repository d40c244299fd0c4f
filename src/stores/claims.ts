/**
 * The result of claiming a key. `found`: the key is taken, with this text. `ours`: the run may begin, and its token is
 * above those of all earlier runs. `full`: the owner has too many keys.
 */
export type Claim =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'ours'; readonly token: number }
  | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly key: string;
  /** Stored under the key if it is free. */
  readonly text: string;
  readonly ttlMs: number;
  /** The caller that the key is counted for. */
  readonly owner: string;
}

/** The request to claim a key was certainly not sent. After any other error the key may have been claimed. */
export class NotClaimed extends Error {}

/** Decides which process runs a call: only one can claim its key. */
export interface Claims {
  /** Claims a key atomically if it is free. Rejects with `NotClaimed` if the key was certainly not claimed. */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Releases a key, as if it had never been claimed, if one of these texts is stored under it. */
  free(key: string, owner: string, texts: readonly string[]): Promise<void>;
}

/** Maximum number of keys that one owner can claim within their time to live. */
export const MAX_PER_OWNER = 10_000;

/** Increasing numbers, shared by all processes. */
export interface Sequence {
  /** Returns a number above all earlier ones. */
  next(): Promise<number>;
}
