/** Internal API for the other packages of Toolfold. It may change in any version. */

/** State of a caller that other packages keep, such as runs of code and sessions in Redis, belongs to the same keys. */
export { callerKey, holderKey, isAnonymous, NOBODY } from './callers/caller-key.js';
/** Sandboxes share their places fairly among callers. */
export { FairQueue } from './callers/fair-queue.js';
/** The gateway has one connection for all requests with equal session contexts. */
export { hashOf } from './callers/session-context.js';
/** The gateway and `toolfold proxy` compile tools that are known only at run time. */
export { compileItem, type AnyRegistrable } from './compile/compile-item.js';
/** The search, the analysis and the page read compiled tools, whose actions keep their former addresses. */
export {
  AliasedMap,
  type CompiledAction,
  type CompiledSpec,
  type CompiledTool,
} from './compile/compiled-tool.js';
/** Clients recognize a grouped tool and the fields of its actions by these marks in descriptions. */
export {
  ALWAYS_REQUIRED,
  DISCRIMINATOR_TEXT,
  FOR,
  REQUIRED_FOR,
} from './compile/input-schema/schema-generator.js';
/** The search and the code form describe an action as the flat form lists it, and find it by its former names too. */
export { flatToolOf, formerAddressesIn, formerNamesOf } from './compile/tool-forms.js';
/** The search keeps the index of a view only while a view of the same tools is in use. */
export { WeakCache } from './compile/tool-forms.js';
/** The gateway checks the prompts of a server before it registers them. */
export { Prompts, type ItemDefinition } from './define/prompts.js';
/** Imports of APIs and servers check each definition alone, so that one that is invalid is left out with a reason. */
export { readDefinition, type InternalAction } from './define/read-definition.js';
/** The gateway checks the resources of a server before it registers them. */
export { parseUriTemplate, Resources } from './define/resources.js';
/** Sidecars and overrides of upstream tools have the search words of a definition, and the same rules. */
export { copySearchWords, findSearchProblem } from './define/search-words.js';
/** Forms and the gateway make definitions whose input type is unknown. */
export type { AnyToolDefinition } from './define/tool-definition.js';
/** The test client is typed like the typed caller. */
export type { InputOf, OutputOf, Step, Steps } from './define/typed-tool.js';
/** A run of code takes no slot of the concurrency limit, because the calls that it waits for need them. */
export { markAsWaiting } from './engine/call-limits.js';
/** Imports of APIs and servers quote the reason of a thrown value, which can be of any type. */
export { messageOf } from './engine/error-handler.js';
/** The page shows the calls of a registry, also after `toolfold dev` has reloaded it. */
export {
  CallListeners,
  observeCalls,
  type CallListener,
  type EndedCall,
  type StepTime,
} from './engine/events/call-listeners.js';
/** `toolfold call` reports errors of the author's code as the `onError` of a server does. */
export { emitFaults } from './engine/fault-report.js';
/** Forms and the gateway forward a request from the context of a handler, or make a context without a request. */
export {
  contextHashOf,
  identifyingToken,
  isNever,
  neverSignal,
  nobody,
  noLog,
  noProgress,
  redactorFor,
  requestOf,
} from './engine/request-context.js';
/** Code reads a text such as `12` as a number only if the framework wrote it from a number. */
export { JSON_VALUE } from './engine/shape-output.js';
/** A run of code is idempotent by the key of its request. */
export { IDEMPOTENCY_KEY } from './engine/wrap-handler.js';
/** The linter compares the examples of an output with its budget. */
export { roomOf } from './guards/budget/output-budget.js';
/** A run of code rejects an invalid idempotency key like any other call. */
export { isKey, noKey } from './guards/idempotency/key.js';
/** Log lines and results of `run_code` name the run. */
export { noteRun, RUN } from './guards/log/request-log.js';
/** Redis has the limits of the rate limiter in memory, which counts while Redis is unreachable. */
export { anonymousCallsOf, createRateLimiter, DEFAULT_LIMIT } from './guards/rate-limit/rate-limiter.js';
/** Requests to APIs hide the credentials that they send. */
export { collectCredentials } from './guards/redact/collect-credentials.js';
/** The code form asks for confirmations in the words of the framework. */
export { ALLOW_FORM, canConfirm, refusalIn } from './compile/confirmation.js';
/** Questions about calls of code show arguments as those of the framework do. */
export { showValue } from './values/show-value.js';
/** Paths of requests to APIs have no segments that lead out of the base address. */
export { hasDotSegment } from './values/dot-segment.js';
/** Requests to APIs and `toolfold proxy` hide the credentials that they know, and the linter reads where a text has one. */
export { createHider, type Span } from './guards/redact/find-literals.js';
/** The linter finds credentials in texts as the redaction does. */
export { findAssignments, findShapes } from './guards/redact/find-patterns.js';
/** Packages that show errors and values outside of a call redact them first. */
export { createRedactor, redactError, redactThrown, type Redactor } from './guards/redact/redactor.js';
/** Calls through the search tools repair arguments that a model sent as text. */
export { repairJson, type RepairPlan } from './guards/repair/json-repair.js';
/** Errors of APIs keep the time after which the API allows the next call. */
export { retryAfterOf } from './guards/retry/retry.js';
/** Clients and code turn a failed result back into the error that the server reported. */
export { readCallResult, toCallError } from './protocol/call-error.js';
/** Typed clients over MCP have the paths of the typed caller. */
export { callNode } from './protocol/call-node.js';
/** Forms and the gateway pass questions on to the client, if it can answer them. */
export {
  isInputRequired,
  missingCapabilities,
  type InputRequired,
  type WireQuestions,
} from './protocol/input-required.js';
/** Comparisons of servers depend on the revision, and stored sessions on the logging levels that it defines. */
export { isLoggingLevel, isModern } from './protocol/mcp-types.js';
/** The gateway reports an answer that it does not parse under the id of its request. */
export { idInText, type Id } from './protocol/messages.js';
/** Clients, the gateway and reports of commands name the version. */
export { packageVersion } from './protocol/package-version.js';
/** Clients and the gateway distinguish the errors of a server by their codes. */
export { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, URL_REQUIRED } from './protocol/rpc-error.js';
/** Packages that return the results of APIs, servers and code recognize and write the parts of a result. */
export {
  isContentBlock,
  isResourceContents,
  isResult,
  toCallToolResult,
  toStructuredResult,
} from './protocol/tool-result.js';
/** Imported tools get names that every client accepts, and typed clients find a tool by the name of its author. */
export { AUTHORED_ARGUMENTS, AUTHORED_NAME, toWireName, wireNameOf } from './protocol/wire-name.js';
/** The gateway gives handlers of prompts and resources a context without a client. */
export { noClientToAsk } from './questions/request-input.js';
/** Forms, the gateway, the page and the commands read and replace what a registry holds. */
export {
  INTERNALS,
  internalsOf,
  type AppOf,
  type RegistryInternals,
  type ReplacedItems,
} from './registry/any-registry.js';
/** Functions of other packages reject a value that is no registry in the same words. */
export { assertRegistry } from './registry/assert-registry.js';
/** Redis sends the changes of a registry to all processes. */
export { shareChanges } from './registry/registry-changes.js';
/** The test client serves the options of a described server through a handler. */
export { toHandlerOptions } from './serve/http/handler-options.js';
/** Runs of code, processes and calls of the test client need ids that cannot be guessed. */
export { randomId } from './runtime/random-id.js';
/** Timers of the search form and of runs of code must not keep a process alive. */
export { unrefTimer } from './runtime/timers.js';
/** Redis implements these stores, and the test client reads tasks. */
export {
  eventsAfter,
  MAX_PER_OWNER,
  NotClaimed,
  type Claim,
  type ClaimRequest,
  type Claims,
  type EventLog,
  type LoggedEvent,
  type LoggedEvents,
  type Task,
  type TaskStore,
} from './stores/contracts.js';
/** Redis holds the tasks of all processes. */
export { SharedTasks } from './tasks/shared-tasks.js';
/** The test client announces that it supports tasks. */
export { TASKS_EXTENSION } from './tasks/tasks.js';
/** The page shows the toolsets that a policy allows. */
export { allowedToolsets } from './toolsets/exposure-policy.js';
/** `toolfold proxy` accepts pins of the tools of a form whose package it has not loaded. */
export { pinnableTools } from './toolsets/forms/load-form.js';
/** Commands pass the settings of a search only to forms that search. */
export { isSearchForm } from './toolsets/forms/offers.js';
/** The page reads a catalog as the server does, with the mounted registries that are toolsets. */
export { addMounted, describeMounted, dynamicToolNames, readCatalog } from './toolsets/tool-set-catalog.js';
/** The page checks the options of `devtools` as a server does, and explains which toolsets are active. */
export { assertExposureOptions, readConfig, readStartup } from './toolsets/toolset-config.js';
/** Packages that read bodies of unknown length keep them in one buffer. */
export { appendBytes, noBytes } from './values/append-bytes.js';
/** Other packages compare and store values by the same digests. */
export { digest, encode } from './values/digest.js';
/** The linter finds secrets by the names that the redaction knows. */
export { isSecretField, isSecretName } from './values/secret-names.js';
/** Reports, findings and the page show untrusted texts on one line. */
export { toLine } from './values/to-line.js';
/** The search tools write their answers in the format of results. */
export { toJson, toToon } from './values/value-text.js';
/** Commands and the page show which row of the client table applies. */
export { findClient } from './views/client-table.js';
/** Commands and the page show views by the default profile and by policies that a user selects. */
export { compileNarrowing, compilePolicy, DEFAULT_PROFILE, type Narrowing } from './views/policy.js';
/** The page names the condition that hides an action from a view. */
export { createCeiling, createPredicate, createSelection, type Allows } from './views/view-selection.js';
/** The page and every command that listens explain a port that is taken. */
export { adviseOnPort, explainPort } from './values/explain-port.js';
