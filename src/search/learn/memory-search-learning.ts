import { assertOptions, callback } from '../../values/options.js';
import type {
  AnsweredSearch,
  LearnedSelection,
  LearnedSummary,
  Learner,
  SearchLearning,
  SearchLearningOptions,
} from '../../stores/search-learning.js';
import { MemoryTable } from './learning-table.js';
import { learningRules, TableLearning } from './table-learning.js';

/** Options of a `MemorySearchLearning`. */
export interface MemorySearchLearningOptions extends SearchLearningOptions {
  /** The time in milliseconds. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Learns in the memory of one process. The key of its digests is random and is lost with the process. */
export class MemorySearchLearning implements SearchLearning {
  readonly #learning: TableLearning;

  constructor(options: MemorySearchLearningOptions = {}) {
    assertOptions('MemorySearchLearning', options, { ...learningRules, clock: callback });
    const { clock = Date.now, ...limits } = options;
    this.#learning = new TableLearning(
      'MemorySearchLearning',
      {
        secret: crypto.getRandomValues(new Uint8Array(32)),
        now: clock,
        createTable: (_, tableLimits) => new MemoryTable(tableLimits, clock),
      },
      limits,
    );
  }

  /** How strongly earlier calls connect words with tools. */
  recall(
    learner: Learner,
    words: readonly string[],
    isVisible: (address: string) => boolean,
  ): Promise<ReadonlyMap<string, number>> {
    return this.#learning.recall(learner, words, isVisible);
  }

  /** Remembers the questions of one search. */
  noteSearch(learner: Learner, searches: readonly AnsweredSearch[]): Promise<void> {
    return this.#learning.noteSearch(learner, searches);
  }

  /** Links the words of recent searches with a tool. */
  noteCall(learner: Learner, address: string): Promise<void> {
    return this.#learning.noteCall(learner, address);
  }

  /** Counts the links. */
  inspect(selection?: LearnedSelection): Promise<LearnedSummary> {
    return this.#learning.inspect(selection);
  }

  /** Erases links. Resolves to their number. */
  erase(selection?: LearnedSelection): Promise<number> {
    return this.#learning.erase(selection);
  }
}
