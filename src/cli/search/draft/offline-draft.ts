import { exitCodes } from '../../../analysis/command-error.js';
import { withKeywords, wordsIn } from './draft-changes.js';
import { fileLimits, isPrompt, splitBatches, writePrompt } from './draft-prompt.js';
import type { DraftedTool } from './drafted-tools.js';
import { hasKeywords } from './finish-draft.js';
import type { Draft, DraftReport } from './finish-draft.js';
import { saveFile, writeSidecar } from './save-sidecar.js';

export const PROMPT_FILE = 'search-prompt.md';

/** Writes the prompt and the addresses of all tools, for a model that the user asks. */
export function writeForAnyModel({
  read: { options },
  terminal,
  file,
  before,
  tools,
  wanted,
}: Draft & { readonly wanted: readonly DraftedTool[] }): number {
  const [first = []] = splitBatches(wanted, fileLimits);
  const rest = wanted.length - first.length;
  const empty = tools.filter((tool) => !hasKeywords(tool, before) && !wordsIn(before, tool.address));
  const after = withKeywords(before, new Map(empty.map(({ address }) => [address, []])));
  const prompt = first.length === 0 ? undefined : (options.get('prompt')?.[0] ?? PROMPT_FILE);
  const missing = tools.filter((tool) => !hasKeywords(tool, before)).length;
  const isWritten = !options.has('dry-run');
  // The prompt is first, because it is rejected if its file has other contents.
  if (prompt === '-') terminal.print(writePrompt(first));
  else if (prompt !== undefined && isWritten) saveFile(prompt, writePrompt(first), isPrompt);
  if (isWritten) saveFile(file, writeSidecar(after));
  const report: DraftReport = {
    file,
    isWritten,
    tools: tools.length,
    missing,
    changes: [],
    problems: [],
    prompt,
  };
  if (options.has('json') && prompt !== '-') terminal.printJson(report);
  else {
    const say =
      prompt === '-' ? (line: string) => terminal.notify(line) : (line: string) => terminal.print(line);
    if (prompt === undefined)
      say(`${file}: all ${tools.length} tools have keywords. Pass --all to replace those in the file.`);
    else {
      say(
        `${file}: ${missing} of ${tools.length} tools have no keywords${isWritten ? '.' : '; not written'}`,
      );
      if (prompt !== '-' && isWritten)
        say(
          `${prompt}: give this prompt to a model, save its answer, and run toolfold search draft again with ${options.has('all') ? '--all, ' : ''}--answer and that file.`,
        );
      if (rest > 0) say(`The prompt has ${first.length} tools. Run the command again for the other ${rest}.`);
    }
  }
  return exitCodes.done;
}
