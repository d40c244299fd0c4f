import type { ProfileName } from '../profile.js';
import type { ListRule, ToolRule } from './rule.js';

const claude = ['anthropic', 'bedrock'] as const;
const openai = ['openai', 'openai-strict', 'codex'] as const;

/** The longest description of a tool, by profile. */
export const descriptionLimits: Readonly<Partial<Record<ProfileName, number>>> = {
  anthropic: 2_048,
  openai: 1_024,
  'openai-strict': 1_024,
  codex: 1_024,
  portable: 1_024,
};

/** The longest name of a tool together with the name of its server and one separator, by profile. */
export const prefixedNameLimits: Readonly<Partial<Record<ProfileName, number>>> = {
  cursor: 59,
  bedrock: 64,
  portable: 59,
};

export const NAME_LENGTH = 64;

/** Rules about the name and the description of a tool. */
export const toolRules: readonly ToolRule[] = [
  {
    id: 'name-pattern',
    reason: 'A name with other characters than letters, digits, "_" and "-" is rejected, dots included.',
    source: 'modelcontextprotocol/typescript-sdk#1029, claude-code#5973',
    date: '2026-07',
    profiles: ['portable', ...claude, ...openai, 'cursor', 'vscode'],
    lowering: 'Other characters become "_". Names that become equal get a suffix.',
    check: ({ name }) =>
      /^[\w-]*$/.test(name)
        ? undefined
        : { path: '/name', message: 'The name may contain letters, digits, "_" and "-" only.' },
  },
  {
    id: 'name-start',
    reason: 'A name must start with a letter or "_" and contain letters, digits, "_", "." and "-" only.',
    source: 'mcp-router#177, Vertex AI reference of FunctionDeclaration',
    date: '2026-05',
    profiles: ['portable', 'gemini'],
    lowering: 'The name gets the prefix "_".',
    check: ({ name }) =>
      /^[a-zA-Z_][\w.-]*$/.test(name)
        ? undefined
        : {
            path: '/name',
            message:
              'The name must start with a letter or "_" and contain letters, digits, "_", "." and "-" only.',
          },
  },
  {
    id: 'name-length',
    reason: 'A name of more than 64 characters is rejected.',
    source: 'claude-code#5973, Vertex AI reference of FunctionDeclaration, OpenAI API reference',
    date: '2026-05',
    profiles: ['portable', ...claude, ...openai, 'gemini', 'cursor', 'vscode'],
    lowering: 'The name is cut and ends with a hash of the whole name.',
    check: ({ name }) =>
      name.length > 0 && name.length <= NAME_LENGTH
        ? undefined
        : { path: '/name', message: `The name must have 1 to 64 characters, and it has ${name.length}.` },
  },
  {
    id: 'prefixed-name-length-59',
    reason:
      'The name of the server and the name of the tool must have fewer than 60 characters together; other tools are dropped.',
    source: 'composio#2788',
    date: '2026-02',
    profiles: ['portable', 'cursor'],
    lowering: 'The name is cut and ends with a hash of the whole name.',
    check: prefixedNameCheck(59),
  },
  {
    id: 'prefixed-name-length-64',
    reason: 'The name of the server and the name of the tool must have at most 64 characters together.',
    source: 'microsoft/mcp#842',
    date: '2025-10',
    profiles: ['bedrock'],
    lowering: 'The name is cut and ends with a hash of the whole name.',
    check: prefixedNameCheck(64),
  },
  {
    id: 'description-length-1024',
    reason: 'A tool with a description of more than 1,024 characters is rejected.',
    source: 'sentry-mcp#106',
    date: '2025-04',
    profiles: ['portable', ...openai],
    lowering: 'Sentences and list items are left out from the end. The first sentence stays.',
    check: descriptionCheck(1_024),
  },
  {
    id: 'description-length-2048',
    reason: 'Claude Code cuts descriptions at 2,048 characters.',
    source: 'Claude Code docs, as quoted by users',
    date: '2026-10',
    profiles: ['anthropic'],
    lowering: 'Sentences and list items are left out from the end. The first sentence stays.',
    check: descriptionCheck(2_048),
  },
];

/** Rules about the number of tools. Lowering cannot satisfy them: choose another form, or fewer tools. */
export const listRules: readonly ListRule[] = [
  {
    id: 'at-most-128-tools',
    reason: 'More than 128 tools are rejected.',
    source: 'vscode#294055',
    date: '2026-02',
    profiles: ['vscode', 'openai', 'openai-strict'],
    lowering: 'None. Use the grouped or the search form.',
    maxTools: 128,
  },
  {
    id: 'at-most-40-tools',
    reason: 'Only the first 40 tools of all servers are offered to the model; later versions allow 80.',
    source: 'composio#2788, fetcher-mcp#7',
    date: '2026-02',
    profiles: ['cursor', 'portable'],
    lowering: 'None. Use the grouped or the search form.',
    maxTools: 40,
  },
];

function prefixedNameCheck(limit: number): ToolRule['check'] {
  return ({ name }, server) => {
    const length = server === '' ? name.length : server.length + 1 + name.length;
    return length <= limit
      ? undefined
      : {
          path: '/name',
          message: `The name must have at most ${limit} characters with the name of the server, and it has ${length}.`,
        };
  };
}

function descriptionCheck(limit: number): ToolRule['check'] {
  return ({ description = '' }) =>
    description.length <= limit
      ? undefined
      : {
          path: '/description',
          message: `The description must have at most ${limit.toLocaleString('en')} characters, and it has ${description.length.toLocaleString('en')}.`,
        };
}
