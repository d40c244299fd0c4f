import type { ProfileName } from '../profile.js';
import type { ListRule, ToolRule } from './rule.js';

const claude = ['anthropic', 'bedrock'] as const;
const openai = ['openai', 'openai-strict', 'codex'] as const;

/** Maximum length of a tool's description, by profile. */
export const descriptionLimits: Readonly<Partial<Record<ProfileName, number>>> = {
  anthropic: 2_048,
  openai: 1_024,
  'openai-strict': 1_024,
  codex: 1_024,
  portable: 1_024,
};

/** Maximum length of a tool's name together with its server's name, by profile. Bedrock clients put a separator between them. */
export const prefixedNameLimits: Readonly<
  Partial<Record<ProfileName, { readonly limit: number; readonly separator: number }>>
> = {
  cursor: { limit: 59, separator: 0 },
  bedrock: { limit: 64, separator: 1 },
  portable: { limit: 59, separator: 1 },
};

export const NAME_LENGTH = 64;

export const toolRules: readonly ToolRule[] = [
  {
    id: 'name-pattern',
    profiles: ['standard', 'portable', ...claude, ...openai, 'cursor', 'vscode'],
    check: ({ name }) =>
      /^[\w-]*$/.test(name)
        ? undefined
        : { path: '/name', message: 'The name may contain letters, digits, "_" and "-" only.' },
  },
  {
    id: 'name-start',
    profiles: ['portable', 'gemini'],
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
    profiles: ['standard', 'portable', ...claude, ...openai, 'gemini', 'cursor', 'vscode'],
    check: ({ name }) =>
      name.length > 0 && name.length <= NAME_LENGTH
        ? undefined
        : { path: '/name', message: `The name must have 1 to 64 characters, and it has ${name.length}.` },
  },
  {
    id: 'prefixed-name-length-59',
    profiles: ['portable', 'cursor'],
    check: prefixedNameCheck(59, 0),
  },
  {
    id: 'prefixed-name-length-64',
    profiles: ['bedrock'],
    check: prefixedNameCheck(64, 1),
  },
  {
    id: 'description-length-1024',
    profiles: ['portable', ...openai],
    check: descriptionCheck(1_024),
  },
  {
    id: 'description-length-2048',
    profiles: ['anthropic'],
    check: descriptionCheck(2_048),
  },
];

/** Rules about the number of tools. Lowering cannot satisfy them, but a form with fewer tools can. */
export const listRules: readonly ListRule[] = [
  {
    id: 'at-most-128-tools',
    profiles: ['vscode', 'openai', 'openai-strict'],
    maxTools: 128,
  },
  {
    id: 'at-most-40-tools',
    profiles: ['cursor', 'portable'],
    maxTools: 40,
  },
];

function prefixedNameCheck(limit: number, separator: number): ToolRule['check'] {
  return ({ name }, server) => {
    const length = server === '' ? name.length : server.length + separator + name.length;
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
