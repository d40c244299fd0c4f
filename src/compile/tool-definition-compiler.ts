import { ErrFieldConflict, ErrInvalidTool } from '../errors.js';
import type { InternalAction } from '../define/read-definition.js';
import { toComparableTag } from '../model/tool.js';
import { isContradiction } from '../schema/check/value-types.js';
import { createInputValidator, dropsUndeclared } from '../schema/validate/input-validator.js';
import { FrozenMap } from '../values/freeze.js';
import { aggregateAnnotations } from './annotation-aggregator.js';
import type { CompiledAction, Strategies, ToolSpec } from './compiled-tool.js';
import { generateDescription } from './description-generator.js';
import { ActionSchema } from './input-schema/action-schema.js';
import { generateInputSchema } from './input-schema/schema-generator.js';
import { planRepairs } from './json-repair.js';
import { compileMiddlewareChains, drainGenerators } from './middleware-compiler.js';
import type { ChainFn } from './middleware-compiler.js';

export const defaultStrategies: Strategies = Object.freeze({
  inputSchema: generateInputSchema,
  description: generateDescription,
  annotations: aggregateAnnotations,
  middleware: compileMiddlewareChains,
});

/** Compiles every action of a tool. All forms and views share the compiled actions. */
export function compileActions(spec: ToolSpec): ReadonlyMap<string, CompiledAction> {
  const chains = spec.strategies.middleware(spec.actions.map(guardHandler), spec.globalMiddleware);
  return new FrozenMap(
    spec.actions.map((action) => [action.key, compileAction(spec, action, chains.get(action.key))]),
  );
}

function compileAction(
  spec: ToolSpec,
  action: InternalAction,
  run: ChainFn = guardHandler(action).handler,
): CompiledAction {
  const { common, discriminator, unknownFields } = spec;
  assertCompatible(spec, action);
  const ignoresDiscriminator = discriminator !== undefined && dropsUndeclared(action.input, common);
  const toolID = spec.namespace === undefined ? spec.name : `${spec.namespace}:${spec.name}`;
  const [address, local] = [toolID, spec.name].map((tool) =>
    discriminator === undefined ? tool : `${tool}/${action.key}`,
  ) as [string, string];
  const schema = new ActionSchema(
    action.input,
    common,
    createInputValidator(
      action.input,
      common,
      unknownFields,
      ignoresDiscriminator ? discriminator : undefined,
    ),
  );
  assertKeyField(address, action, schema);
  return Object.freeze({
    action,
    spec,
    key: discriminator === undefined ? undefined : action.key,
    toolID,
    address,
    namespace: action.security?.namespace ?? spec.namespace,
    tags: new Set([...spec.tags, ...action.tags].map(toComparableTag)),
    operation: action.security?.operation ?? local,
    schema,
    ignoresDiscriminator,
    discriminator: ignoresDiscriminator ? discriminator : undefined,
    repairable: planRepairs(common ? [common, action.input] : [action.input]),
    isGuarded: isGuarded(action),
    run,
  });
}

function isGuarded({ cached, idempotency, retry, invalidates = [] }: InternalAction): boolean {
  return Boolean(cached ?? idempotency ?? retry) || invalidates.length > 0;
}

/**
 * Wraps the handler of a guarded action so that it runs only through `around`. A custom middleware strategy that drops `around`
 * must not run the handler unguarded, because that could write twice.
 */
function guardHandler(action: InternalAction): InternalAction {
  if (!isGuarded(action)) return action;
  const { handler, key } = action;
  const run = drainGenerators(handler);
  return {
    ...action,
    handler: (call, around) => {
      if (around) return around(run, call);
      throw new ErrInvalidTool(`Action "${key}" was run without its cache, idempotency or retries.`, {
        hint: 'A custom middleware strategy must pass its second argument on to the handler.',
      });
    },
  };
}

function assertKeyField(
  address: string,
  { idempotency }: InternalAction,
  { fieldNames }: ActionSchema,
): void {
  const field = idempotency?.field;
  if (field === undefined || fieldNames.includes(field)) return;
  throw new ErrInvalidTool(`Tool "${address}": idempotency.field "${field}" is not one of its arguments.`, {
    details: { field: 'idempotency' },
  });
}

/** Throws if a field of the common schema and of the action has no value that is valid in both. */
function assertCompatible({ name, common }: ToolSpec, { key, input }: InternalAction): void {
  for (const [field, { schema }] of common?.fields ?? []) {
    const own = input.fields?.get(field);
    if (!common || !own) continue;
    if (!isContradiction([schema, common.jsonSchema], [own.schema, input.jsonSchema])) continue;
    throw new ErrFieldConflict(
      `The field "${field}" of tool "${name}" is ${JSON.stringify(schema)} in the common schema and ` +
        `${JSON.stringify(own.schema)} in action "${key}", and no value satisfies both.`,
      {
        hint: 'Rename one of them, or give them shapes that have values in common.',
        details: { field, actions: [key], shapes: [schema, own.schema] },
      },
    );
  }
}
