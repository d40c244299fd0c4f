import { noLexicon } from '../index/lexicon.js';
import { Vocabulary } from '../index/vocabulary.js';

/** The stems of the informative words of a question, each once. They do not depend on the lexicon of a view. */
export function readQuestionWords(question: string): readonly string[] {
  const vocabulary = new Vocabulary(noLexicon);
  vocabulary.read(question, false);
  return [...vocabulary.terms.keys()];
}
