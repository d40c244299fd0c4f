import { CommandError } from '../../../analysis/command-error.js';
import { clip } from '../../../values/nearest-name.js';
import { readAnswer, UnreadableAnswer } from './draft-answer.js';
import { splitBatches, writePrompt } from './draft-prompt.js';
import type { DraftedTool } from './drafted-tools.js';

/** Sends a prompt to a model, and resolves to its answer. `place` names the batch and the attempt. */
export type AskModel = (
  prompt: string,
  place: { readonly batch: number; readonly attempt: number },
) => Promise<string>;

interface FillOptions {
  readonly ask: AskModel;
  /** Called before each batch. */
  readonly onBatch?: (batch: number, batches: number, tools: number) => void;
}

/** The keywords that a model gave, and what is left. */
export interface FilledBatches {
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  /** The problems of the answers, as sentences. */
  readonly problems: readonly string[];
  /** The failure that ended the work before all batches were asked. The batches before it are kept. */
  readonly failure?: CommandError | undefined;
}

/** How often a model may answer for a batch. The second prompt says what was wrong with the first answer. */
const ATTEMPTS = 2;

/** Asks a model for the keywords of tools, batch by batch. */
export async function fillBatches(
  tools: readonly DraftedTool[],
  { ask, onBatch = () => {} }: FillOptions,
): Promise<FilledBatches> {
  const keywords = new Map<string, readonly string[]>();
  const problems: string[] = [];
  const batches = splitBatches(tools);
  for (const [index, batch] of batches.entries()) {
    onBatch(index + 1, batches.length, batch.length);
    let open: readonly DraftedTool[] = batch;
    let problem: string | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS && open.length > 0; attempt++) {
      try {
        const answer = readAnswer(await ask(writePrompt(open, problem), { batch: index + 1, attempt }), open);
        for (const [address, words] of answer.keywords) keywords.set(address, words);
        open = answer.open;
        problem = answer.problems.length > 0 ? answer.problems.join(' ') : undefined;
      } catch (error) {
        if (error instanceof CommandError) return { keywords, problems, failure: error };
        if (!(error instanceof UnreadableAnswer)) throw error;
        problem = `the answer ${error.message}`;
        if (attempt === ATTEMPTS)
          return {
            keywords,
            problems,
            failure: new CommandError(
              `Twice, the answer for batch ${index + 1} of ${batches.length} ${clip(error.message, 300)}`,
            ),
          };
      }
    }
    if (problem !== undefined) problems.push(problem);
  }
  return { keywords, problems };
}
