import { deepFreeze } from '../values/json-value.js';
import { assertOptions, flag, text } from '../values/options.js';
import type { Rules } from '../values/options.js';
import { findNamed, namedClientRules } from './client-names.js';
import type { Caller } from './caller.js';

/** A client, by the name that it reports, and whether its model gets the structured content of results. */
export interface StructuredReader {
  /** The name in `clientInfo`, compared without case. `cursor*` matches all names that begin with `cursor`. */
  readonly name: string;
  /** Only this version and later ones, such as `2.1.7`. Default: all versions. */
  readonly since?: string | undefined;
  /** Whether the model gets the structured content. Default: true. */
  readonly reads?: boolean | undefined;
  /** The report or page that shows the behaviour. */
  readonly source?: string | undefined;
  /** Month in which it was seen, such as `2026-02`. */
  readonly date?: string | undefined;
}

const vscode = {
  source: 'vscode, mcpLanguageModelToolContribution.ts: it takes the place of the text',
  date: '2026-08',
};

/** The clients that are known to give the structured content of results to the model, or not to. The first row that fits decides. */
export const defaultStructuredReaders: readonly StructuredReader[] = deepFreeze([
  {
    name: 'claude-code*',
    since: '2.0.21',
    source: 'claude-code#9962, #79944: it takes the place of the text',
    date: '2026-09',
  },
  { name: 'claude-code*', reads: false, source: 'claude-code#4427', date: '2025-07' },
  {
    name: 'codex*',
    source: 'codex#2594, #38287: it takes the place of the text',
    date: '2026-08',
  },
  { name: 'visual studio code*', ...vscode },
  { name: 'visual-studio-code*', ...vscode },
  {
    name: 'github-copilot*',
    source: 'copilot-cli#3258, #4515: the model gets both',
    date: '2026-08',
  },
  { name: 'toolfold-client*', source: 'typed calls return it', date: '2026-11' },
  {
    name: 'claude-ai*',
    reads: false,
    source: 'action_mcp#181: Claude Desktop shows no result without text',
    date: '2026-01',
  },
  { name: 'cursor*', reads: false, source: 'claude-code#79944: the model gets the text', date: '2026-07' },
  { name: 'opencode*', reads: false, source: 'opencode#38923: the model gets the text', date: '2026-07' },
  {
    name: 'toolfold*',
    reads: false,
    source: '`toolfold call` prints the text, and a proxy passes it on to clients of any kind',
    date: '2026-11',
  },
] satisfies StructuredReader[]);

/** Whether a client gives structured content to the model; `undefined` if the rows do not have the client. */
export function readsStructured(
  rows: readonly StructuredReader[],
  client: Caller['client'],
): boolean | undefined {
  const row = findNamed(rows, client);
  if (!row) return undefined;
  const { reads = true } = row;
  return reads;
}

const rules: Rules<keyof StructuredReader> = {
  ...namedClientRules,
  reads: flag,
  source: text,
  date: text,
};

/** Rejects rows that name no client. */
export function assertStructuredReaders(rows: readonly StructuredReader[]): void {
  for (const [at, row] of rows.entries())
    assertOptions(`structuredReaders[${at}]`, row, rules, { required: ['name'] });
}
