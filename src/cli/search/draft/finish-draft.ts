import { createInterface } from 'node:readline/promises';
import type { SearchSidecar } from '../../../search.js';
import type { ReadArguments } from '../../terminal/read-arguments.js';
import { exitCodes } from '../../../analysis/command-error.js';
import { Interrupted } from '../../terminal/terminal.js';
import { toLine } from '../../../values/to-line.js';
import type { Terminal } from '../../terminal/terminal.js';
import { compareSidecars, describeSiblings, withKeywords, wordsIn, writeChanges } from './draft-changes.js';
import type { KeywordChange } from './draft-changes.js';
import type { DraftedTool } from './drafted-tools.js';
import type { FilledBatches } from './fill-batches.js';
import { saveFile, writeSidecar } from './save-sidecar.js';
import { findSiblings } from './siblings.js';

/** The result of a draft, as `--json` prints it. */
export interface DraftReport {
  readonly file: string;
  readonly isWritten: boolean;
  /** Number of tools of the server. */
  readonly tools: number;
  /** Number of tools that still have no keywords. */
  readonly missing: number;
  readonly changes: readonly KeywordChange[];
  readonly problems: readonly string[];
  /** The file with the prompt, if no model was asked. */
  readonly prompt?: string | undefined;
}

/** A search file before a draft, and the tools of the server. */
export interface Draft {
  readonly read: ReadArguments;
  readonly terminal: Terminal;
  readonly file: string;
  readonly before: SearchSidecar;
  readonly tools: readonly DraftedTool[];
}

/** Whether the definition of a tool or the search file has keywords for it. */
export function hasKeywords({ address, search }: DraftedTool, sidecar: SearchSidecar): boolean {
  return [search, wordsIn(sidecar, address)].some((words) => (words?.keywords ?? []).length > 0);
}

/** The search file after a draft, its changes, and everything that a person should know about them. */
export interface AppliedDraft {
  readonly after: SearchSidecar;
  readonly changes: readonly KeywordChange[];
  readonly problems: readonly string[];
  /** Number of tools that still have no keywords. */
  readonly missing: number;
}

/** Adds the keywords of a model to a search file, without writing it. */
export function applyDraft(
  { before, tools }: Pick<Draft, 'before' | 'tools'>,
  { keywords, problems }: FilledBatches,
): AppliedDraft {
  const after = withKeywords(before, keywords);
  const siblings = findSiblings(
    tools,
    (address) => wordsIn(before, address),
    (address) => wordsIn(after, address),
  );
  return {
    after,
    changes: compareSidecars(before, after),
    problems: [...problems.map((text) => toLine(text)), ...describeSiblings(siblings)],
    missing: tools.filter((tool) => !hasKeywords(tool, after)).length,
  };
}

/** Shows the changes, asks a person at a terminal, and writes the file. */
export async function finishDraft({
  read: { options },
  terminal,
  signal,
  file,
  before,
  tools,
  filled,
}: Draft & { readonly signal: AbortSignal; readonly filled: FilledBatches }): Promise<number> {
  const { after, changes, problems, missing } = applyDraft({ before, tools }, filled);
  const isJson = options.has('json');
  if (!isJson && changes.length > 0)
    terminal.printColoured((isColoured) => writeChanges(changes, isColoured));
  for (const line of problems) terminal.notify(line);
  const isWritten =
    changes.length > 0 && !options.has('dry-run') && (await mayWrite(file, options, terminal, signal));
  if (isWritten) saveFile(file, writeSidecar(after));
  if (isJson)
    terminal.printJson({
      file,
      isWritten,
      tools: tools.length,
      missing,
      changes,
      problems,
    } satisfies DraftReport);
  else {
    const what = `${changes.length} of ${tools.length} tools changed, ${missing} without keywords`;
    terminal.print(`${file}: ${what}${isWritten || changes.length === 0 ? '' : '; not written'}`);
  }
  if (filled.failure) throw filled.failure;
  return missing > 0 && changes.length === 0 ? exitCodes.failed : exitCodes.done;
}

async function mayWrite(
  file: string,
  options: ReadArguments['options'],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  if (options.has('yes') || options.has('json') || !terminal.isInteractive) return true;
  const { stdin, stderr } = terminal.host;
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    const closed = new Promise<never>((_, reject) => {
      // In raw mode, Ctrl-C is a key, and no signal is sent.
      lines.once('SIGINT', () => reject(new Interrupted('SIGINT')));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    closed.catch(() => undefined);
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`Write ${file}? (y/N) `), closed, ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
