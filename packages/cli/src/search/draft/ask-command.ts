import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError, MAX_INPUT_BYTES } from '@toolfold/analysis/internal';
import { groupOptions, signalGroup } from '@toolfold/gateway/internal';
import { untilAborted } from '@toolfold/schema/internal';
import { readAll } from '../../terminal/terminal.js';
import type { Terminal } from '../../terminal/terminal.js';
import { readAnswer } from './draft-answer.js';
import type { Draft } from './draft-answer.js';
import { splitBatches, writePrompt } from './draft-prompt.js';
import type { DraftedTool } from './drafted-tools.js';
import { count } from '../../terminal/count.js';

/** Attempts per batch. The second prompt explains what was wrong with the first answer. */
const ATTEMPTS = 2;

interface Running {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Asks a program for keywords in batches. Keeps the keywords of earlier batches if one fails. */
export async function askCommand(
  program: readonly string[],
  tools: readonly DraftedTool[],
  running: Running,
): Promise<Draft> {
  const keywords = new Map<string, readonly string[]>();
  const problems: string[] = [];
  const batches = splitBatches(tools);
  try {
    for (const [index, batch] of batches.entries()) {
      running.terminal.notify(`batch ${index + 1} of ${batches.length}: ${count(batch.length, 'tool')} …`);
      let open: readonly DraftedTool[] = batch;
      let wrong: readonly string[] = [];
      for (let attempt = 1; attempt <= ATTEMPTS && open.length > 0; attempt++) {
        const answer = readAnswer(
          await runProgram(program, writePrompt(open, wrong.join(' ')), running),
          open,
        );
        for (const [address, words] of answer.keywords) keywords.set(address, words);
        open = open.filter(({ address }) => !keywords.has(address));
        wrong = answer.problems;
      }
      problems.push(...wrong);
      if (open.length === batch.length)
        throw new CommandError(`No answer for batch ${index + 1} of ${batches.length} had keywords.`);
    }
  } catch (failure) {
    if (!(failure instanceof CommandError)) throw failure;
    return { keywords, problems, failure };
  }
  return { keywords, problems };
}

async function runProgram(
  [name = '', ...args]: readonly string[],
  prompt: string,
  { terminal, signal }: Running,
): Promise<string> {
  const child = spawn(name, args, { stdio: 'pipe', ...groupOptions });
  child.stderr.on('data', (text: Buffer) => terminal.writeError(text.toString()));
  // Ignore write errors, because a program may exit without reading its input. Its exit code decides.
  child.stdin.on('error', () => undefined).end(prompt);
  const answer = readAll(child.stdout).then((bytes) => {
    if (bytes) return bytes.toString();
    throw new CommandError(`"${name}" printed more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB.`);
  });
  const closed = once(child, 'close') as Promise<[code: number | null, killedBy: string | null]>;
  try {
    const [text, [code, killedBy]] = await untilAborted(Promise.all([answer, closed]), signal);
    if (code === 0) return text;
    throw new CommandError(`"${name}" ended with ${killedBy ?? `exit code ${code}`}.`);
  } catch (error) {
    // The program may have started others that keep its output open.
    signalGroup(child, 'SIGKILL');
    if (child.pid !== undefined) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT' ? `The command "${name}" does not exist.` : `"${name}" cannot be started: ${message}`,
    );
  }
}
