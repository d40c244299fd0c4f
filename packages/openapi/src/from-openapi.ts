import { GroupedToolBuilder } from 'toolfold';
import { messageOf, readDefinition } from 'toolfold/internal';
import type { Hints, ToolCall, ToolDefinition } from 'toolfold';
import { ErrModuleFailed } from 'toolfold/errors';
import {
  clip,
  isJsonObject,
  toLinearPattern,
  UnsupportedPattern,
  useLinearPatterns,
} from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { createDescribe, describeOperation, plainText } from './describe.js';
import type { Describe } from './describe.js';
import { candidatesOf, chooseNames, groupOf } from './names/name-operations.js';
import { readOptions } from './options.js';
import type { FromOpenAPIOptions, OpenAPIOperation, OpenAPISettings, OperationChanges } from './options.js';
import { planOperation } from './plan/plan-operation.js';
import type { PlannedOperation } from './plan/plan-operation.js';
import { scopesOf } from './plan/read-security.js';
import { listOperations } from './read/list-operations.js';
import type { SpecOperation } from './read/list-operations.js';
import { readDocument } from './read/read-document.js';
import type { SpecObject } from './read/read-document.js';
import { listOf } from './read/resolve.js';
import { baseUrlOf, serverOf } from './read/servers.js';
import type { RequestPlan } from './request-plan.js';
import { readOutputSchema } from './schema/output-schema.js';
import { fitOutput } from './send/fit-output.js';
import { isSafe } from './send/exchange.js';
import { createSender } from './send/sender.js';
import type { SendRequest } from './send/sender.js';

const MAX_REASON = 300;
const MAX_LISTED_REASONS = 20;
const RETRY = { attempts: 3 } as const;

/** The action for an operation, without its handler. */
export interface ImportedAction {
  readonly group: string;
  readonly definition: Omit<ToolDefinition<JsonSchemaObject>, 'handler'>;
  readonly plan: RequestPlan;
  readonly server: URL;
}

export interface ImportedSpecification {
  readonly title: string;
  readonly baseUrl: URL;
  readonly groups: ReadonlyMap<
    string,
    { readonly description: string; readonly actions: readonly ImportedAction[] }
  >;
}

/**
 * Turns an OpenAPI specification into builders: one for each group of operations, with one action for each operation. `spec` is a parsed
 * object, or JSON or YAML text. Nothing is fetched until an action is called.
 */
export function fromOpenAPI(spec: object | string, options: FromOpenAPIOptions = {}): GroupedToolBuilder[] {
  const settings = readOptions(options);
  const { groups } = importSpecification(spec, settings);
  const senders = new Map<string, SendRequest>();
  const senderFor = (server: URL): SendRequest => {
    const known = senders.get(server.href) ?? createSender(settings.requests, server);
    senders.set(server.href, known);
    return known;
  };
  return [...groups].map(([name, { description, actions }]) => {
    const builder = new GroupedToolBuilder(name).description(description);
    for (const { definition, plan, server } of actions) {
      const send = senderFor(server);
      const { outputSchema } = definition;
      const handler = async ({ input, context }: ToolCall): Promise<unknown> => {
        const result = await send(plan, input, context);
        return isJsonObject(outputSchema) ? fitOutput(result, outputSchema) : result;
      };
      builder.action({ ...definition, handler } as never);
    }
    return builder;
  });
}

export function importSpecification(spec: unknown, settings: OpenAPISettings): ImportedSpecification {
  // A specification from elsewhere may contain patterns that take exponential time, so they are matched in linear time.
  useLinearPatterns({ toLinearPattern, UnsupportedPattern });
  const document = readDocument(spec);
  const baseUrl = settings.baseUrl ?? baseUrlOf(document, settings.specUrl);
  const skipped = new SkippedOperations(settings);
  const operations = listOperations(document, settings.maxOperations, (path, error) =>
    skipped.add(path, error),
  );
  const describe = createDescribe(Math.ceil(settings.maxDescription / 2));
  const read = { document, baseUrl, describe };
  const planned = operations.flatMap((operation) => {
    if (operation.isDeprecated && !settings.keepsDeprecated) return [];
    return skipped.attempt(operation, () => toDraft(read, operation, settings));
  });
  const { title } = isJsonObject(document['info']) ? document['info'] : {};
  const name = plainText(title, 100) || baseUrl.host;
  const actions = nameActions(planned, settings).flatMap((named) =>
    skipped.attempt(named.operation, () => toAction(named, settings)),
  );
  skipped.finish(name);
  return { title: name, baseUrl, groups: groupActions(document, name, actions.flat()) };
}

/** Collects operations that cannot be offered, and reports each with its reason. */
class SkippedOperations {
  readonly #onSkipped: OpenAPISettings['onSkipped'];
  readonly #reasons: string[] = [];

  constructor({ onSkipped }: OpenAPISettings) {
    this.#onSkipped = onSkipped;
  }

  add(label: string, error: unknown): void {
    const reason = clip(`it ${messageOf(error)}`, MAX_REASON);
    if (this.#onSkipped) this.#onSkipped(label, reason);
    else this.#reasons.push(`${label}: ${reason}`);
  }

  /** Returns the result of `read` in a list, or an empty list if the operation cannot be offered. */
  attempt<T>(operation: SpecOperation, read: () => T): [T] | [] {
    try {
      return [read()];
    } catch (error) {
      this.add(`${operation.method} ${operation.path}`, error);
      return [];
    }
  }

  finish(title: string): void {
    const more = this.#reasons.length - MAX_LISTED_REASONS;
    if (this.#reasons.length === 0) return;
    const reasons = this.#reasons.slice(0, MAX_LISTED_REASONS);
    if (more > 0) reasons.push(`and ${more} more`);
    throw new ErrModuleFailed(
      `The specification "${title}" has operations that cannot be offered: ${reasons.join('; ')}.`,
      { hint: 'Pass onSkipped to leave them out.', details: { skipped: reasons } },
    );
  }
}

interface ReadSpecification {
  readonly document: SpecObject;
  readonly baseUrl: URL;
  readonly describe: Describe;
}

/** An operation with its plan, before it has a name. */
interface Draft extends PlannedOperation {
  readonly operation: SpecOperation;
  readonly group: string;
  readonly server: URL;
  readonly description: string;
  readonly hints: Hints;
  readonly scopes: readonly string[];
  readonly outputSchema: JsonSchemaObject | undefined;
}

function toDraft(
  { document, baseUrl, describe }: ReadSpecification,
  operation: SpecOperation,
  settings: OpenAPISettings,
): Draft {
  const { maxDescription, maxSchema, groupBy } = settings;
  const planned = planOperation(document, operation, { describe, maxSchema });
  const scopes = scopesOf(planned.plan.security, settings.requests.credentials);
  return {
    ...planned,
    operation,
    server: serverOf(document, operation.servers, baseUrl),
    group: groupOf(operation, groupBy),
    description: describeOperation(operation, maxDescription),
    hints: hintsOf(operation.method),
    scopes: [...new Set(scopes.flatMap((scope) => settings.mapScope(scope) ?? []))],
    outputSchema: settings.hasOutputSchemas
      ? readOutputSchema(document, operation.responses, maxSchema)
      : undefined,
  };
}

/** Returns the hints that the HTTP method implies. POST and PATCH may do anything. */
function hintsOf(method: string): Hints {
  if (isSafe(method)) return { readOnly: true, openWorld: true };
  if (method === 'PUT') return { readOnly: false, idempotent: true, openWorld: true };
  if (method === 'DELETE') return { readOnly: false, destructive: true, idempotent: true, openWorld: true };
  return { readOnly: false, openWorld: true };
}

interface Named extends Draft {
  readonly name: string;
  readonly changes: OperationChanges;
}

function nameActions(drafts: readonly Draft[], settings: OpenAPISettings): Named[] {
  const prefix = settings.prefix === undefined ? '' : `${settings.prefix}_`;
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const members = groups.get(draft.group) ?? [];
    members.push(draft);
    groups.set(draft.group, members);
  }
  const names = new Map<Draft, string>();
  for (const members of groups.values()) {
    const candidates = members.map(({ operation, group }) => ({
      ...operation,
      ...candidatesOf(operation, group, prefix),
    }));
    for (const [at, name] of chooseNames(candidates).entries()) names.set(members[at] as Draft, name);
  }
  return drafts.flatMap((draft) => {
    const name = names.get(draft) as string;
    const group = prefix + draft.group;
    const changes = settings.transform(describeDraft({ ...draft, group }, name)) ?? {};
    if (changes.hidden === true) return [];
    return [{ ...draft, name: changes.name ?? name, group: changes.group ?? group, changes }];
  });
}

function describeDraft(draft: Draft, name: string): OpenAPIOperation {
  const { operation, group, description, hints, scopes, inputSchema } = draft;
  const { method, path, operationId, tags, isDeprecated } = operation;
  const own = { method, path, operationId, tags, deprecated: isDeprecated };
  return { ...own, group, name, description, scopes, inputSchema, ...hints };
}

function toAction(named: Named, settings: OpenAPISettings): ImportedAction {
  const { operation, group, plan, server, inputSchema, scopes, changes } = named;
  const { name: _, group: __, hidden: ___, outputSchema: keepsOutput, ...own } = changes;
  const hints = { ...named.hints, ...own };
  const isRepeatable = hints.readOnly === true || hints.idempotent === true;
  const definition = {
    name: named.name,
    description: named.description,
    inputSchema,
    ...(named.outputSchema && keepsOutput !== false ? { outputSchema: named.outputSchema } : {}),
    tags: operation.tags,
    scopes,
    ...(isRepeatable ? { retry: RETRY } : {}),
    outputBudget: settings.outputBudget,
    ...named.hints,
    ...own,
  };
  return { group, definition: checkDefinition(definition, group), plan, server };
}

/** Reports an invalid definition as a problem of this operation alone. An unusable output schema is left out. */
function checkDefinition(
  definition: ImportedAction['definition'],
  group: string,
): ImportedAction['definition'] {
  const check = (checked: ImportedAction['definition']): unknown =>
    readDefinition({ ...checked, handler: () => undefined }, { tool: group });
  const { outputSchema, ...withoutOutput } = definition;
  if (outputSchema === undefined) check(definition);
  else {
    try {
      check(definition);
    } catch {
      check(withoutOutput);
      return withoutOutput;
    }
  }
  return definition;
}

function groupActions(
  document: SpecObject,
  title: string,
  actions: readonly ImportedAction[],
): ImportedSpecification['groups'] {
  const groups = new Map<string, { description: string; actions: ImportedAction[] }>();
  const texts = tagTexts(document);
  for (const action of actions) {
    const known = groups.get(action.group) ?? {
      description: texts.get(action.definition.tags?.[0] ?? '') ?? `Operations of ${title}.`,
      actions: [],
    };
    known.actions.push(action);
    groups.set(action.group, known);
  }
  return groups;
}

function tagTexts(document: SpecObject): Map<string, string> {
  const tags = listOf(document['tags']).filter(isJsonObject);
  return new Map(
    tags.flatMap(({ name, description }) => {
      const text = plainText(description, 200);
      return typeof name === 'string' && text !== '' ? [[name, text] as const] : [];
    }),
  );
}
