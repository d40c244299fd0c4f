/** Internal API for the other packages of Toolfold. It may change in any version. */

/** Commands end with these codes, and the page and the commands show these errors without a stack trace. */
export { CommandError, exitCodes, MAX_INPUT_BYTES, UsageError } from './command-error.js';
/** Reports of `toolfold diff` sort changes by severity. */
export { severities as changeSeverities } from './diff/change.js';
/** The page and `toolfold diff` compare two versions of a server. */
export { compareSurfaces } from './diff/compare-surfaces.js';
/** The page and the commands read and write lockfiles in one format. */
export { isLockfile, LOCKFILE, readLockfile, saveLockfile, writeLockfile } from './diff/lockfile.js';
/** The page and the commands compare prompts and resources beside tools. */
export {
  idOf,
  joinEntries,
  kindsIn,
  readEntries,
  toEntries,
  withServer,
  type EntryKind,
} from './diff/surface-entries.js';
/** The page, `toolfold diff` and `toolfold proxy` read the surfaces that they compare. */
export { readSurface, readWireTool, sortByName, type Surface, type SurfaceTool } from './diff/surface.js';
/** `toolfold proxy` holds back changed tools whose texts look like a prompt injection. */
export { findSuspicions } from './diff/suspicious-text.js';
/** Reports of `toolfold diff` show the changed words of a text. */
export { withContext, type WordChange } from './diff/word-diff.js';
/** `toolfold search draft` reads the arguments of tools, which several actions can share, once. */
export { distinctBy } from './distinct-by.js';
/** The page and the reports of `toolfold lint` show where each finding is and how severe. */
export {
  addressOf,
  createSurface,
  severities,
  wholeList,
  type Place,
  type RuleSource,
} from './lint/finding.js';
/** The page and the commands show characters that people do not see as their codes. */
export { showHidden } from './lint/hidden-characters.js';
/** The page and the commands read the same configuration file. */
export {
  CONFIG_FILE,
  findConfig,
  readProfiles,
  readSettings,
  readSeverity,
  type LintSettings,
} from './lint/lint-settings.js';
/** The page and `toolfold lint` check long lists with pauses. */
export { lintInSteps, type LintOptions, type LintResult } from './lint/lint-tools.js';
/** `toolfold lint --rules` describes the rules of clients, and the page checks the same clients by default. */
export { clientRules, defaultProfiles, severityOfClientRule } from './lint/profile-rules.js';
/** `toolfold lint --rules` describes all rules. */
export { lintRules } from './lint/rule-table.js';
/** `toolfold lint --fix` reads the texts that it can change. */
export { textsOf } from './lint/tool-parts.js';
/** `toolfold lint --fix` deletes unused definitions. */
export { unusedDefinitions } from './lint/unused-definitions.js';
/** The page and `toolfold dev` show the command that writes the lockfile of the server. */
export { lockCommand } from './lock-command.js';
/** Commands print command lines that a shell reads back. */
export { quote } from './quote-word.js';
/** Commands reject files that are missing or too large in the same words. */
export { readTextFile } from './read-text-file.js';
/** Commands that write files of the user leave the old contents if they are interrupted. */
export { replaceFile, saveFile } from './replace-file.js';
/** The page and the commands search the same texts as the search form. */
export { assertListed, readArguments, readDocuments, type SearchedTarget } from './search/documents.js';
/** The page and the commands pause in long work. */
export { eachInSteps, yieldToEventLoop, type Steps } from './steps.js';
/** Commands suggest the names of tools that exist. */
export { assertKnown, hintNames } from './target/assert-known.js';
/** The page and `toolfold inspect` explain why a client gets a form. */
export { formOf, limitOf, reasonOf } from './target/client-reason.js';
/** The page and the commands describe the tools of a file and of a running server in one form. */
export { listView, listViewInSteps, listWireTool } from './target/list-tools.js';
/** The page and the commands get the exports of a file. */
export type { LoadedModule } from './target/loaded-module.js';
/** The page and the commands serve a file in a form and a profile without a transport. */
export { createExposure, openLoaded, overrideView, type OpenedRegistry } from './target/open-loaded.js';
/** The page and the commands open, list and call every kind of server by one interface. */
export {
  forms,
  type AskPerson,
  type CallHooks,
  type ClientView,
  type Form,
  type FormCost,
  type ListedAction,
  type ListedHints,
  type ListedTarget,
  type ListedTool,
  type ListedToolset,
  type LogMessage,
  type OpenTarget,
  type Progress,
  type Selection,
  type TaskSupport,
  type ToolRequest,
} from './target/opened-target.js';
/** The page searches the actions of a file in any form. */
export { readSearchedActions } from './target/searched-actions.js';
/** `toolfold inspect` and `toolfold call` show the inputs of actions as a profile lists them. */
export { withShownActions } from './target/shown-actions.js';
/** `toolfold tokens` reports the budget. */
export type { Budget } from './tokens/budget.js';
/** The page and `toolfold tokens` show the same report. */
export { measure, type TokenReport } from './tokens/report.js';
/** The page and `toolfold tokens` compare the costs of forms and profiles. */
export { measureSurfaces, type Lowering, type SurfaceCost } from './tokens/surface-cost.js';
/** The page names the tokenizer. */
export { TOKENIZER, type CountedTool } from '@toolfold/testing/internal';
/** The page and `toolfold tokens` show the parts of a tool's cost. */
export { addParts, partNames, type CostParts, type ToolCost } from './tokens/tool-cost.js';
/** The page counts tokens in a thread, and the commands in their own. */
export { createToolCounter, inParts, type ToolCounter } from './tokens/tool-counter.js';
/** The page and the commands recognize the errors of another copy of the package. */
export { audienceOf, isToolfoldError } from './toolfold-error.js';
