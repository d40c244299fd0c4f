import { error, ToolRegistry } from '../../../index.js';
import type { SamplingAnswer, ToolContext } from '../../../index.js';
import { serveStdio } from '../../../node.js';
import { packageVersion } from '../../../upstream/options.js';
import { assertInstalled } from '../../target/open-server.js';
import { exitCodes } from '../../../analysis/command-error.js';
import { untilSignal } from '../../terminal/terminal.js';
import type { Terminal } from '../../terminal/terminal.js';
import { writeChanges } from './draft-changes.js';
import { batchLimits } from './draft-prompt.js';
import { fillBatches } from './fill-batches.js';
import { applyDraft, hasKeywords } from './finish-draft.js';
import type { Draft } from './finish-draft.js';
import { saveFile, writeSidecar } from './save-sidecar.js';

/** Tools per call. A 2026 client sends all earlier answers of a call back with each further one, so a call must end. */
const MAX_TOOLS = 10 * batchLimits.tools;
const MAX_TOKENS = 8_000;

interface ServeOptions extends Pick<Draft, 'file' | 'tools'> {
  readonly terminal: Terminal;
  readonly isAll: boolean;
  readonly isDryRun: boolean;
  /** Reads the search file, which may change between two calls. */
  readonly readBefore: () => Draft['before'];
}

/** The server with the one tool that lets the model of the connected client draft the keywords. */
export function createDraftServer({
  file,
  tools,
  isAll,
  isDryRun,
  readBefore,
}: Omit<ServeOptions, 'terminal'>): ToolRegistry {
  /** The tools that calls of this server have already filled, for `--all`. */
  const filled = new Set<string>();
  return new ToolRegistry({ name: 'toolfold-search-draft', version: packageVersion }).register({
    name: 'draft_keywords',
    title: 'Draft keywords',
    description: `Drafts the search keywords of tools with the model of this client, and writes them to ${file}.`,
    destructive: false,
    idempotent: false,
    openWorld: false,
    inputSchema: {},
    handler: async ({ context }: { context: ToolContext }) => {
      const before = readBefore();
      const wanted = tools.filter((tool) => (isAll ? !filled.has(tool.address) : !hasKeywords(tool, before)));
      const some = wanted.slice(0, MAX_TOOLS);
      const answers = await fillBatches(some, {
        ask: async (prompt, { batch, attempt }) => {
          const key = `batch_${batch}_${attempt}`;
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
          const { [key]: answer } = await context.requestInput({
            [key]: { sampling: { messages, maxTokens: MAX_TOKENS } },
          });
          return textOf(answer as SamplingAnswer);
        },
      });
      const { after, changes, problems, missing } = applyDraft({ before, tools }, answers);
      if (changes.length > 0 && !isDryRun) saveFile(file, writeSidecar(after));
      for (const address of answers.keywords.keys()) filled.add(address);
      if (answers.failure && changes.length === 0) return error(answers.failure.message);
      const rest = wanted.length - answers.keywords.size;
      return [
        writeChanges(changes, false),
        ...problems,
        ...(answers.failure ? [answers.failure.message] : []),
        `${file}: ${changes.length} of ${tools.length} tools changed, ${missing} without keywords${isDryRun ? '; not written' : ''}`,
        ...(rest > 0 && changes.length > 0 ? [`Call draft_keywords again for the other ${rest} tools.`] : []),
      ]
        .filter((line) => line !== '')
        .join('\n');
    },
  });
}

/** The text of a model's answer. */
function textOf({ content }: SamplingAnswer): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** Serves the tool over standard input and output until the client disconnects or a signal arrives. */
export async function serveDraft({ terminal, ...options }: ServeOptions): Promise<number> {
  assertInstalled('toolfold search draft --serve needs', '@modelcontextprotocol/server');
  terminal.releaseStdout();
  const running = serveStdio(createDraftServer(options), {
    closeOnSignals: false,
    onError: (fault) => terminal.notify(fault instanceof Error ? fault.message : String(fault)),
  });
  await untilSignal(terminal.host, running.ended);
  await running.close();
  return exitCodes.done;
}
