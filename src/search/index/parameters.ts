/** Every number that ranking depends on. None is about a tool; round values, since no exact one matters. */
export interface SearchParameters {
  /** How much a word counts by where it stands. */
  readonly fields: {
    readonly name: number;
    readonly description: number;
    readonly tags: number;
    readonly toolset: number;
    readonly argumentName: number;
    readonly argumentDescription: number;
  };
  /** How soon repeating a word stops to count (k1 of BM25), and how far long texts are held back (b). */
  readonly saturation: number;
  readonly lengthPenalty: number;
  /** How much a number says, and a word that the lexicon does not know; a typical word says 1. */
  readonly number: number;
  readonly unknown: number;
  /** Words less alike than this are not compared. */
  readonly alike: number;
  /** How much counts what question and tool are about as a whole, and how much of the tool is asked for. */
  readonly topic: number;
  readonly coverage: number;
}

export const searchParameters: SearchParameters = {
  fields: { name: 2, description: 1, tags: 1, toolset: 0.5, argumentName: 0.5, argumentDescription: 0.25 },
  saturation: 1,
  lengthPenalty: 0.2,
  number: 0.2,
  unknown: 1.5,
  alike: 0.2,
  topic: 0.1,
  coverage: 0.2,
};
