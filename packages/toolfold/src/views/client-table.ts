import { findNamed, namedClientRules } from '../callers/client-names.js';
import type { ProfileName } from '@toolfold/profiles';
import { profileNames } from '@toolfold/profiles';
import { assertOptions, count, deepFreeze, oneOf, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

/** A client, by the name that it reports, and the tools that it gets. */
export interface KnownClient {
  /** The name in `clientInfo`, compared without case. `cursor*` matches all names that begin with `cursor`. */
  readonly name: string;
  /** Only this version and later ones, such as `2.1.7`. Default: all versions. */
  readonly since?: string | undefined;
  /** The profile of its tools. */
  readonly profile: ProfileName;
  /** The form of its tools with `form: 'auto'`. Default: the first of grouped, flat and search that fits `maxTools`. */
  readonly form?: 'grouped' | 'flat' | 'search' | 'code' | undefined;
  /** Number of tools that the client offers to a model at most. Default: no limit. */
  readonly maxTools?: number | undefined;
  /** The report or page that shows the behaviour. */
  readonly source?: string | undefined;
  /** Month in which it was seen, such as `2026-02`. */
  readonly date?: string | undefined;
}

/** Names of clients as a public list of them has them. */
const names = 'apify/mcp-client-capabilities';
const ownSearch = { form: 'flat' } as const;
const copilot = { profile: 'vscode', maxTools: 128 } as const;

/** The clients that `profile: 'client'` and `form: 'auto'` know. The first row that fits decides; the last one fits every client. */
export const defaultClients: readonly KnownClient[] = deepFreeze([
  {
    name: 'claude-code*',
    since: '2.1.7',
    profile: 'anthropic',
    ...ownSearch,
    source: 'claude-code#18370: it searches tools itself from 2.1.7 on',
    date: '2026-01',
  },
  { name: 'claude-code*', profile: 'anthropic', source: names, date: '2026-05' },
  {
    name: 'claude-ai*',
    profile: 'anthropic',
    source: `${names}: Claude Desktop and claude.ai`,
    date: '2026-05',
  },
  {
    name: 'codex*',
    profile: 'codex',
    ...ownSearch,
    source: 'codex#32101: it searches deferred tools itself',
    date: '2026-07',
  },
  { name: 'chatgpt*', profile: 'openai', maxTools: 128, source: names, date: '2026-05' },
  {
    name: 'openai-mcp*',
    profile: 'openai',
    maxTools: 128,
    source: 'clientInfo of ChatGPT connectors',
    date: '2026-06',
  },
  {
    name: 'cursor*',
    profile: 'cursor',
    maxTools: 40,
    source: 'composio#2788, anytype-mcp#5',
    date: '2026-02',
  },
  { name: 'visual studio code*', ...copilot, source: 'vscode#294055', date: '2026-02' },
  { name: 'visual-studio-code*', ...copilot, source: `vscode#294055, ${names}`, date: '2026-02' },
  {
    name: 'github-copilot*',
    ...copilot,
    source: 'copilot-cli#4588: it searches tools itself only with some models',
    date: '2026-08',
  },
  { name: 'jetbrains-*', ...copilot, source: 'copilot-intellij-feedback#1842', date: '2026-06' },
  { name: 'xcode-copilot*', ...copilot, source: names, date: '2026-05' },
  { name: 'gemini-cli*', profile: 'gemini', source: `gemini-cli#13326, ${names}`, date: '2026-05' },
  { name: 'antigravity*', profile: 'gemini', source: names, date: '2026-05' },
  { name: 'windsurf*', profile: 'standard', maxTools: 50, source: 'metamcp#37', date: '2025-04' },
  { name: 'q-dev-cli*', profile: 'bedrock', source: `${names}: Amazon Q`, date: '2026-05' },
  {
    name: '*',
    profile: 'standard',
    maxTools: 40,
    source: 'clients that are not in the table, with the smallest limit of those that are',
    date: '2026-11',
  },
] satisfies KnownClient[]);

/** The first row that fits the name and the version that a client reports. */
export function findClient(
  rows: readonly KnownClient[],
  client: { readonly name: string; readonly version: string } | undefined,
): KnownClient {
  return findNamed(rows, client) ?? (defaultClients.at(-1) as KnownClient);
}

const rules: Rules<keyof KnownClient> = {
  ...namedClientRules,
  profile: oneOf(...profileNames),
  form: oneOf('grouped', 'flat', 'search', 'code'),
  maxTools: count,
  source: text,
  date: text,
};

/** Rejects rows that would never fit or that name no profile. */
export function assertClients(clients: readonly KnownClient[]): void {
  for (const [at, row] of clients.entries())
    assertOptions(`clients[${at}]`, row, rules, { required: ['name', 'profile'] });
}
