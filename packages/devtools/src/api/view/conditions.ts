import type { CompiledForm, Selection, ViewPolicy } from 'toolfold';
import type { Allows, CompiledSpec, Narrowing } from 'toolfold/internal';
import {
  compileNarrowing,
  compilePolicy,
  createCeiling,
  createPredicate,
  createSelection,
} from 'toolfold/internal';
import type { ServerConfig, KnownAction } from './all-actions.js';
import type { Condition } from './condition.js';
import { createToolsetCondition } from './toolset-condition.js';
import type { ToolsetLimits } from './toolset-condition.js';

interface ExplainedRequest {
  readonly config: ServerConfig;
  /** Decides how tools are named. */
  readonly form: CompiledForm;
  readonly scopes: ReadonlySet<string>;
  readonly hidesScopes: boolean;
  readonly selection: Selection;
  /** Result of the operator's `select` for the caller. */
  readonly ceiling: Selection | undefined;
  readonly limits: ToolsetLimits;
}

/** Creates the conditions of a request in the order in which they apply. Yields a step for each tool, because there may be thousands. */
export function* createConditions(
  actions: Iterable<KnownAction>,
  request: ExplainedRequest,
): Generator<void, readonly Condition[]> {
  const { config, form, hidesScopes, selection, ceiling = {} } = request;
  const { readOnly, tags, excludeTags } = config.toolsets?.exposurePolicy ?? {};
  const toolsets = createToolsetCondition(request.limits);
  const before = [
    ...ofPolicy('view', filtersOf(config.view)),
    ...ofPolicy('exposurePolicy', filtersOf({ readOnly, tags, excludeTags })),
    ...ofNarrowing('select', compileNarrowing({ ...ceiling }).narrowing, (part) => createCeiling(part, form)),
    ...(hidesScopes ? [scopeCondition(request.scopes)] : []),
  ];
  const isVisible = (known: KnownAction): boolean =>
    before.every((condition) => condition.reasonsFor(known).length === 0);
  const reachable: KnownAction[] = [];
  const visible = new Set<KnownAction['compiled']>();
  for (const known of actions) {
    yield;
    if (toolsets.reasonsFor(known).length > 0) continue;
    reachable.push(known);
    if (isVisible(known)) visible.add(known.compiled);
  }
  const specs = toSpecs(reachable);
  const ofRequest = ofNarrowing('request', compileNarrowing({ ...selection }).narrowing, (part) =>
    createSelection(specs, (compiled) => visible.has(compiled), part, { form, toleratesUnknown: true }),
  );
  return [...before, toolsets, ...ofRequest];
}

const filters = ['tags', 'anyTags', 'excludeTags', 'actions', 'exclude', 'readOnly'] as const;
type Filters = { readonly [Name in (typeof filters)[number]]?: ViewPolicy[Name] | undefined };

/** Normalises the filters of a policy, as for its view. */
function filtersOf(policy: Filters): ViewPolicy {
  const given = filters
    .map((name) => [name, policy[name]] as const)
    .filter(([, value]) => value !== undefined);
  return compilePolicy(Object.fromEntries(given)).policy;
}

/** Explains why an action fails a filter. */
type Wording = (value: unknown, known: KnownAction) => string;

const places = { view: 'The view of the server', exposurePolicy: 'The exposure policy' } as const;

const policyWords: Readonly<Record<string, (place: string) => Wording>> = {
  readOnly: (place) => () => `${place} is read-only, and the action is not declared read-only.`,
  actions: (place) => () => `${place} names only other tools and actions.`,
  exclude: (place) => () => `${place} excludes it.`,
  tags:
    (place) =>
    (value, { compiled }) =>
      `${place} requires the ${listTags((value as string[]).filter((tag) => !compiled.tags.has(tag)))}, which it does not have.`,
  anyTags: (place) => (value) => `${place} requires one of the ${listTags(value as string[])}.`,
  excludeTags:
    (place) =>
    (value, { compiled }) =>
      `${place} excludes the ${listTags((value as string[]).filter((tag) => compiled.tags.has(tag)))}.`,
};

function listTags(tags: readonly string[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.map((tag) => `"${tag}"`).join(', ')}`;
}

/** Creates one condition per filter. A policy allows an action only if every filter does. */
function ofPolicy(source: keyof typeof places, policy: ViewPolicy): Condition[] {
  return Object.entries(policy).map(([name, value]: [string, unknown]) =>
    toCondition(
      `${source}.${name}`,
      createPredicate({ [name]: value }),
      (known) => policyWords[name]?.(places[source])(value, known) ?? '',
    ),
  );
}

const narrowingWords = {
  select: {
    readOnly: 'select limits this caller to read-only actions, and the action is not declared read-only.',
    actions: 'select limits this caller to other tools.',
    exclude: 'select excludes it for this caller.',
  },
  request: {
    readOnly: 'The request wants read-only actions, and the action is not declared read-only.',
    actions: 'The request selects other tools.',
    exclude: 'The request excludes it.',
  },
} as const;

function ofNarrowing(
  source: keyof typeof narrowingWords,
  narrowing: Narrowing,
  create: (part: Narrowing) => Allows,
): Condition[] {
  return (Object.keys(narrowing) as (keyof Narrowing)[]).map((name) =>
    toCondition(`${source}.${name}`, create({ [name]: narrowing[name] }), () => narrowingWords[source][name]),
  );
}

function toCondition(cause: string, allows: Allows, describe: (known: KnownAction) => string): Condition {
  return { cause, reasonsFor: (known) => (allows(known.compiled) ? [] : [describe(known)]) };
}

function scopeCondition(scopes: ReadonlySet<string>): Condition {
  return {
    cause: 'scopes',
    reasonsFor: ({ compiled }) => {
      const missing = missingScopes(compiled.action.scopes, scopes);
      if (missing.length === 0) return [];
      const names = missing.map((scope) => `"${scope}"`).join(', ');
      return [`The caller lacks the ${missing.length === 1 ? 'scope' : 'scopes'} ${names}.`];
    },
  };
}

export function missingScopes(needed: readonly string[], held: ReadonlySet<string>): readonly string[] {
  return needed.filter((scope) => !held.has(scope));
}

/** Groups actions by the tools that define them. */
function toSpecs(actions: readonly KnownAction[]): CompiledSpec[] {
  const specs = new Map<
    string,
    { spec: CompiledSpec['spec']; actions: Map<string, KnownAction['compiled']> }
  >();
  for (const { compiled } of actions) {
    const known = specs.get(compiled.toolID);
    if (known) known.actions.set(compiled.key ?? '', compiled);
    else
      specs.set(compiled.toolID, {
        spec: compiled.spec,
        actions: new Map([[compiled.key ?? '', compiled]]),
      });
  }
  return [...specs.values()];
}
