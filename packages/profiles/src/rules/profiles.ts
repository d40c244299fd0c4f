import { profileNames } from '../profile.js';
import type { ProfileName } from '../profile.js';
import { allRules } from './rules-of.js';
import type { Rule } from './rule.js';
import { ruleSources } from './sources.js';
import type { RuleSource } from './sources.js';

/** The rules of one client or model API. */
export interface Profile {
  /** Name of the profile. */
  readonly name: ProfileName;
  /** The clients that the profile describes. */
  readonly title: string;
  /** Every rule, in the order of the reference. */
  readonly rules: readonly ProfileRule[];
}

/** A restriction of one or more clients, with the place where it was seen. */
export interface ProfileRule extends RuleSource {
  /** Name of the rule, such as `no-root-composition`. */
  readonly id: string;
  /** Profiles with this rule. */
  readonly profiles: readonly ProfileName[];
}

const titles: Readonly<Record<ProfileName, string>> = {
  standard: 'Clients without a profile of their own. Changes no argument. The default.',
  portable: 'Every client below except `openai-strict`',
  anthropic: 'Claude: the Anthropic API, Claude Code and Claude Desktop',
  openai: 'OpenAI and Azure OpenAI, without strict mode',
  'openai-strict': 'OpenAI with strict mode',
  gemini: 'Gemini API and Vertex AI, for clients that pass schemas on unchanged',
  cursor: 'Cursor',
  vscode: 'VS Code with GitHub Copilot, and Copilot CLI',
  codex: 'Codex',
  bedrock: 'Amazon Bedrock',
};

function withSource({ id, profiles: names }: Rule): ProfileRule {
  const source = ruleSources[id] ?? { reason: '', source: '', date: '', lowering: '' };
  return Object.freeze({ id, ...source, profiles: Object.freeze([...names]) });
}

const rules: readonly ProfileRule[] = allRules.map(withSource);

/** The rule table of each profile. */
export const profiles: readonly Profile[] = Object.freeze(
  profileNames.map((name) =>
    Object.freeze({
      name,
      title: titles[name],
      rules: Object.freeze(rules.filter((rule) => rule.profiles.includes(name))),
    }),
  ),
);
