/** Internal API for the other packages of Toolfold. It may change in any version. */

/** The framework copies keywords when it merges the schemas of actions, and the linter checks their values. */
export { foreignKeywords, formProblem, keywords, mapSubschemas } from './check/keywords.js';
/** The framework finds references in the schemas of actions, because it moves these into one schema. */
export { isKnownStandalone, surveySchema } from './check/survey-schema.js';
/** The framework rejects a listed schema that forbids what the action's own schema accepts. */
export { assertAccepts } from './compare/schema-comparison.js';
/** The framework rejects an action whose field contradicts the common schema of its tool. */
export { isContradiction } from './compare/schema-facts.js';
/** The import of OpenAPI specifications compiles foreign patterns, and leaves out those that are not linear. */
export { toLinearPattern, UnsupportedPattern } from './patterns/linear-pattern.js';
/** Schemas of other servers and APIs must not contain patterns that take exponential time. */
export {
  loadLinearPatterns,
  patternProblem,
  toUnicodePattern,
  useLinearPatterns,
} from './patterns/patterns.js';
/** The linter reports template literals that Zod validates in superlinear time. */
export { canVary, templateParts } from './probe/zod4-steps.js';
/** The framework merges schemas that only the author's validator can read, without interpreting their keywords. */
export { isComposed, isForeign, shownFields, standAlone } from './read/foreign-schema.js';
/** The linter reports defaults that no list shows. */
export { isComputed } from './read/zod4.js';
/** Builders and typed callers infer the arguments that a caller writes. */
export type { InferSource, NoFields } from './read/read-schema.js';
/** The framework and the search share pending work between requests only where the runtime lets one wait for another. */
export { sharesPendingWork } from './runtime/runtime.js';
/** The framework creates errors for rejected messages without stack traces, because these are never logged. */
export { resumeStackTraces, suspendStackTraces } from './runtime/runtime.js';
/** Packages that validate arguments and results describe the problems in the same words. */
export {
  describeIssue,
  describeIssues,
  joinProblems,
  MAX_SHOWN,
  validationFailed,
} from './validate/describe-issues.js';
/** The framework validates each action by the common schema of its tool and its own, and lists undeclared fields accordingly. */
export {
  createInputValidator,
  dropsUndeclared,
  isOpen,
  undeclaredFields,
  type UndeclaredFields,
} from './validate/input-validator.js';
/** The linter skips values whose validation was stopped, because their validity is unknown. */
export { TOO_SLOW } from './validate/interpret-schema.js';
/** The framework and the gateway accept the issues and promises of any validator. */
export { isThenable, MAX_ISSUES } from './validate/schema-validator.js';
/** Error messages of all packages name a wrong value in the same words. */
export { describeKind, describeValue, isClass, isPromise } from './values/describe-value.js';
/** Packages that read JSON from clients, servers, APIs and files reject it by the same limits. */
export {
  countTextValues,
  countValues,
  defaultJsonLimits,
  exceededLimit,
  exceededTextLimit,
  foreignJsonLimits,
  parseForeignJson,
  withDefaultJsonLimits,
  type JsonLimits,
} from './values/json-limits.js';
/** Packages that rewrite schemas recognize a schema, lists of schemas and the dialect by the same rules. */
export { defaultSchemaLimits, isSchema, schemasIn, type Dialect } from './values/json-schema.js';
/** Packages compare, freeze and recognize JSON values by the same rules. */
export {
  canonicalJson,
  deepFreeze,
  isJsonObject,
  isObject,
  isPlainObject,
  presentKeys,
  typeName,
} from './values/json-value.js';
/** Error messages of all packages suggest similar names, and shorten and list names in the same way. */
export {
  clip,
  createEffort,
  didYouMean,
  listNames,
  NameIndex,
  nearestName,
  suggestName,
  type Effort,
} from './values/nearest-name.js';
/** Functions of all packages check their options by the same rules, and name the wrong option in the same words. */
export {
  anything,
  assertOptions,
  assertPlain,
  assertTtl,
  callback,
  count,
  countOrNone,
  durationMs,
  flag,
  invalidOption,
  isFunction,
  isNotFound,
  isPlain,
  isSecure,
  listOf,
  names,
  notInstalled,
  objectLike,
  oneOf,
  positiveMs,
  readAddress,
  record,
  share,
  text,
  withMethods,
  type Rule,
  type Rules,
} from './values/options.js';
/** Descriptions of tools and fields are joined and shortened sentence by sentence. */
export { comparable, joinSentences, splitSentences } from './values/sentences.js';
/** Packages that report or resolve places in a schema read and write JSON pointers by one implementation. */
export { decodeFragment, followPointer, joinPointer, unescapeKey, valueAt } from './visit/json-pointer.js';
/** Packages that read schemas of other servers read malformed keywords as absent, and by one implementation. */
export { choicesOf, declaredFields, mapIn, namesIn, schemaEntries, typesOf } from './visit/own-facts.js';
/** The framework repairs and shapes nested values by the only schema that fits them. */
export { nestedSchema, valueTypes } from './visit/value-types.js';
/** Profiles, the linter and the token count visit schemas in the same order and with the same limits. */
export {
  childrenOf,
  mapChildren,
  pointerOf,
  rootNode,
  walkSchema,
  type SchemaNode,
} from './visit/walk-schema.js';
/** The gateway, clients, the page and commands stop waiting when the caller cancels, also for work that ignores its signal. */
export { pause, untilAborted } from './values/pause.js';
