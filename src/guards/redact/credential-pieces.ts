import type { Work } from './redaction-work.js';
import type { Span } from './text-spans.js';

/** So many characters of a long credential in a row are as secret as all of it: messages are often cut. */
export const RUN = 16;
/** Every run of 16 holds one of the blocks of 8 that a credential is made of, whole. */
const BLOCK = 8;
/** A block that stands in more places than this is mostly filling. */
const MAX_PLACES = 8;

/** A place of a block: the text around it, and how much of that is before it. */
interface Place {
  readonly around: string;
  readonly before: number;
}

/** Long credentials, of which any run of 16 characters is found. The search is linear in the text. */
export class CredentialPieces {
  readonly #places = new Map<string, Place[]>();
  /** Which beginnings blocks have, as far as a small table tells: most of a text is dismissed by it. */
  readonly #beginnings = new Uint8Array(TABLE);

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  add(credential: string): void {
    for (let at = 0; at + BLOCK <= credential.length; at += BLOCK) {
      const block = credential.slice(at, at + BLOCK);
      if (block.trim() === '') continue;
      this.#beginnings[beginningOf(credential, at)] = 1;
      const before = Math.min(BLOCK, at);
      const around = credential.slice(at - before, at + 2 * BLOCK);
      const places = this.#places.get(block);
      if (!places) this.#places.set(block, [{ around, before }]);
      else if (places.length < MAX_PLACES && !places.some((place) => place.around === around)) {
        places.push({ around, before });
      }
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.isEmpty) return;
    let last: Span | undefined;
    for (let at = 0; at + BLOCK <= text.length && !work.isDone; at++) {
      if (this.#beginnings[beginningOf(text, at)] === 0) continue;
      work.spend(1);
      for (const place of this.#places.get(text.slice(at, at + BLOCK)) ?? []) {
        const [start, end] = compare(text, at, place);
        if (end - start < RUN) continue;
        if (last && start <= last[1]) {
          last[0] = Math.min(last[0], start);
          last[1] = Math.max(last[1], end);
        } else spans.push((last = [start, end]));
      }
    }
  }
}

const TABLE = 4_096;

function beginningOf(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (first * 961 + second * 31 + third) & (TABLE - 1);
}

/** How far a text is the same as what stands around a block. */
function compare(text: string, at: number, { around, before }: Place): Span {
  let left = 0;
  while (left < before && text[at - left - 1] === around[before - left - 1]) left++;
  let right = BLOCK;
  while (before + right < around.length && text[at + right] === around[before + right]) right++;
  return [at - left, at + right];
}
