import { assertOptions, deepFreeze, flag } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { findNamed, namedClientRules } from './client-names.js';
import type { Caller } from './caller.js';

/** Whether a client, identified by the name that it reports, passes the structured content of results to its model. */
export interface StructuredReader {
  /** The name in `clientInfo`, compared without case. `cursor*` matches all names that begin with `cursor`. */
  readonly name: string;
  /** Only this version and later ones, such as `2.1.7`. Default: all versions. */
  readonly since?: string | undefined;
  /** Whether the model gets the structured content. Default: true. */
  readonly reads?: boolean | undefined;
}

/** Clients whose handling of structured content is known. The first row that matches decides. */
export const defaultStructuredReaders: readonly StructuredReader[] = deepFreeze([
  // claude-code#9962, #79944, 2026-09: it takes the place of the text. claude-code#4427, 2025-07: earlier versions do not give it to the model.
  { name: 'claude-code*', since: '2.0.21' },
  { name: 'claude-code*', reads: false },
  // codex#2594, #38287, 2026-08: it takes the place of the text.
  { name: 'codex*' },
  // vscode, mcpLanguageModelToolContribution.ts, 2026-08: it takes the place of the text.
  { name: 'visual studio code*' },
  { name: 'visual-studio-code*' },
  // copilot-cli#3258, #4515, 2026-08: the model gets both.
  { name: 'github-copilot*' },
  // Typed clients return the structured content to their caller.
  { name: 'toolfold-client*' },
  // action_mcp#181, 2026-01: Claude Desktop shows no result without text.
  { name: 'claude-ai*', reads: false },
  // claude-code#79944, opencode#38923, 2026-07: the model gets the text.
  { name: 'cursor*', reads: false },
  { name: 'opencode*', reads: false },
  // `toolfold call` prints the text, and a proxy passes it on to clients of any kind.
  { name: 'toolfold*', reads: false },
] satisfies StructuredReader[]);

/** Returns whether a client passes structured content to its model; `undefined` if no row matches the client. */
export function readsStructured(
  rows: readonly StructuredReader[],
  client: Caller['client'],
): boolean | undefined {
  const row = findNamed(rows, client);
  return row && (row.reads ?? true);
}

const rules: Rules<keyof StructuredReader> = {
  ...namedClientRules,
  reads: flag,
};

export function assertStructuredReaders(rows: readonly StructuredReader[]): void {
  for (const [at, row] of rows.entries())
    assertOptions(`structuredReaders[${at}]`, row, rules, { required: ['name'] });
}
