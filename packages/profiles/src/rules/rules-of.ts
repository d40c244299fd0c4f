import type { ProfileName } from '../profile.js';
import { keywordRules } from './keyword-rules.js';
import type { ListRule, Rule, SchemaRule, ToolRule } from './rule.js';
import { strictRules } from './strict-rules.js';
import { structureRules } from './structure-rules.js';
import { listRules, toolRules } from './tool-rules.js';

export interface ProfileRules {
  readonly schemas: readonly SchemaRule[];
  readonly tools: readonly ToolRule[];
  readonly lists: readonly ListRule[];
  readonly ids: ReadonlySet<string>;
  /** Whether lowering never changes the form of an argument. */
  readonly keepsArguments: boolean;
  /** Maps each rejected keyword to the id of its rule. */
  readonly keywords: ReadonlyMap<string, string>;
}

const schemaRules: readonly SchemaRule[] = [...structureRules, ...keywordRules, ...strictRules];

export const allRules: readonly Rule[] = [...toolRules, ...listRules, ...schemaRules];

const known = new Map<ProfileName, ProfileRules>();

export function rulesOf(profile: ProfileName): ProfileRules {
  let rules = known.get(profile);
  if (!rules) known.set(profile, (rules = collectRules(profile)));
  return rules;
}

function collectRules(profile: ProfileName): ProfileRules {
  const ofProfile = <R extends Rule>(rules: readonly R[]): R[] =>
    rules.filter((rule) => rule.profiles.includes(profile));
  const schemas = ofProfile(schemaRules);
  return {
    schemas,
    tools: ofProfile(toolRules),
    lists: ofProfile(listRules),
    keepsArguments: profile === 'standard',
    ids: new Set(ofProfile(allRules).map(({ id }) => id)),
    keywords: new Map(
      schemas.flatMap(({ id, keywords = [] }) => keywords.map((keyword) => [keyword, id] as const)),
    ),
  };
}
