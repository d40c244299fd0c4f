/** Words that follow `password:`, `bearer` or, in a scope, `secrets:` and are no credentials. */
const prose: ReadonlySet<string> = new Set(
  `a access admin all an and any are array at auth authentication authorization boolean but by can cannot
    challenge could create credential credentials delete denied did does empty error every exactly expected
    expects expired failed field for forbidden format from given got has have header headers in input
    insufficient invalid is it its length list malformed manage may minimum missing must need needs no non
    not null number object of omitted on only optional or please provided read realm received refused
    rejected required revoke revoked scheme schemes should string takes text that the this to token tokens
    too type undefined unexpected unknown unsupported update use value was will with write wrong you your`.split(
    /\s+/,
  ),
);

/** Whether a word that stands where a credential might is the rest of a sentence. */
export function isProse(word: string): boolean {
  return word.length <= 20 && prose.has(word.toLowerCase().replace(/[.,:]$/, ''));
}
