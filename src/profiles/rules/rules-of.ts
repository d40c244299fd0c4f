import type { ProfileName } from '../profile.js';
import { keywordRules } from './keyword-rules.js';
import type { ListRule, Rule, SchemaRule, ToolRule } from './rule.js';
import { strictRules } from './strict-rules.js';
import { structureRules } from './structure-rules.js';
import { listRules, toolRules } from './tool-rules.js';

/** The rules of a profile by what they are about, and the keywords that it rejects. */
export interface ProfileRules {
  readonly schemas: readonly SchemaRule[];
  readonly tools: readonly ToolRule[];
  readonly lists: readonly ListRule[];
  readonly ids: ReadonlySet<string>;
  /** The rule that rejects a keyword. */
  readonly keywords: ReadonlyMap<string, string>;
}

const schemaRules: readonly SchemaRule[] = [...structureRules, ...keywordRules, ...strictRules];

/** Every rule of every profile. */
export const allRules: readonly Rule[] = [...toolRules, ...listRules, ...schemaRules];

const known = new Map<ProfileName, ProfileRules>();

/** The rules of a profile, ready for checks. */
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
    ids: new Set(ofProfile(allRules).map(({ id }) => id)),
    keywords: new Map(
      schemas.flatMap(({ id, keywords = [] }) => keywords.map((keyword) => [keyword, id] as const)),
    ),
  };
}
