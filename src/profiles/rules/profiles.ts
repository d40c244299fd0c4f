import { profileNames } from '../profile.js';
import type { ProfileName } from '../profile.js';
import type { ListRule, ProfileRule, SchemaRule, ToolRule } from './rule.js';
import { keywordRules } from './keyword-rules.js';
import { structureRules } from './structure-rules.js';
import { strictRules } from './strict-rules.js';
import { listRules, toolRules } from './tool-rules.js';

/** The rules of one client or model API. */
export interface Profile {
  readonly name: ProfileName;
  /** The clients that the profile describes. */
  readonly title: string;
  /** Every rule, in the order of the reference. */
  readonly rules: readonly ProfileRule[];
}

/** The rules of a profile by what they are about, and the keywords that it rejects. */
export interface ProfileRules {
  readonly schemas: readonly SchemaRule[];
  readonly tools: readonly ToolRule[];
  readonly lists: readonly ListRule[];
  readonly ids: ReadonlySet<string>;
  /** The rule that rejects a keyword. */
  readonly keywords: ReadonlyMap<string, string>;
}

const titles: Readonly<Record<ProfileName, string>> = {
  portable: 'Every client below except `openai-strict`. The default.',
  anthropic: 'Claude: the Anthropic API, Claude Code and Claude Desktop',
  openai: 'OpenAI and Azure OpenAI, without strict mode',
  'openai-strict': 'OpenAI with strict mode',
  gemini: 'Gemini API and Vertex AI, for clients that pass schemas on as they are',
  cursor: 'Cursor',
  vscode: 'VS Code with GitHub Copilot, and Copilot CLI',
  codex: 'Codex',
  bedrock: 'Amazon Bedrock',
};

const schemaRules: readonly SchemaRule[] = [...structureRules, ...keywordRules, ...strictRules];
const allRules: readonly ProfileRule[] = [...toolRules, ...listRules, ...schemaRules];

/** The rule table of each profile. */
export const profiles: readonly Profile[] = Object.freeze(
  profileNames.map((name) =>
    Object.freeze({
      name,
      title: titles[name],
      rules: Object.freeze(allRules.filter((rule) => rule.profiles.includes(name))),
    }),
  ),
);

const known = new Map<ProfileName, ProfileRules>();

/** The rules of a profile, ready for checks. */
export function rulesOf(profile: ProfileName): ProfileRules {
  let rules = known.get(profile);
  if (!rules) known.set(profile, (rules = collectRules(profile)));
  return rules;
}

function collectRules(profile: ProfileName): ProfileRules {
  const ofProfile = <R extends ProfileRule>(rules: readonly R[]): R[] =>
    rules.filter((rule) => rule.profiles.includes(profile));
  const schemas = ofProfile(schemaRules);
  return {
    schemas,
    tools: ofProfile(toolRules),
    lists: ofProfile(listRules),
    ids: new Set(ofProfile(allRules).map(({ id }) => id)),
    keywords: new Map(
      schemas.flatMap(({ id, keywords = [] }) => keywords.map((keyword) => [keyword, id] as const)),
    ),
  };
}
