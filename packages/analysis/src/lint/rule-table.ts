import type { LintRule } from './finding.js';
import { contradictionRules } from './rules/contradictions.js';
import { descriptionRules } from './rules/descriptions.js';
import { hintRules } from './rules/hints.js';
import { injectionRules } from './rules/injection.js';
import { nameRules } from './rules/names.js';
import { schemaRules } from './rules/schemas.js';
import { searchRules } from './rules/search.js';
import { secretRules } from './rules/secrets.js';
import { weightRules } from './rules/weight.js';

/** All rules that do not depend on a client, in the order of the reference documentation. */
export const lintRules: readonly LintRule[] = [
  ...nameRules,
  ...descriptionRules,
  ...schemaRules,
  ...contradictionRules,
  ...hintRules,
  ...secretRules,
  ...injectionRules,
  ...weightRules,
  ...searchRules,
];
