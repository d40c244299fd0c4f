import { messageOf, readDefinition, toWireName } from 'toolfold/internal';
import type { AnyToolDefinition } from 'toolfold/internal';
import type { Hints, ToolCall } from 'toolfold';
import { ErrValidationFailed } from 'toolfold/errors';
import type { JsonSchemaObject } from '@toolfold/schema';
import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { originalOf, withOriginal } from '../original-tool.js';
import type { UpstreamToolDefinition } from '../upstream-types.js';
import { assertArguments, restrictSchema } from './restrict-schema.js';
import type { ToolOverride, ToolOverrides } from './tool-override.js';

interface ApplyOptions {
  /** The prefix of all tool names. Names that an override sets get it too. */
  readonly prefix?: string | undefined;
  /** Called with each tool that cannot be offered because its override does not fit. */
  readonly skip: (name: string, reason: string) => void;
  /** Called with a sentence about each override that no tool has. */
  readonly warn: (message: string) => void;
}

/** Applies overrides to the tools of a server. A tool whose override does not fit is left out rather than offered unchanged. */
export function applyOverrides(
  definitions: readonly UpstreamToolDefinition[],
  overrides: ToolOverrides,
  { prefix, skip, warn }: ApplyOptions,
): UpstreamToolDefinition[] {
  const known = definitions.map((definition) => originalOf(definition).name);
  for (const tool of Object.keys(overrides))
    if (!known.includes(tool))
      warn(
        `There is an override for "${tool}", but the server has no such tool.${didYouMean(nearestName(tool, known))}`,
      );
  const offered = definitions.flatMap((definition) => {
    const { name } = originalOf(definition);
    const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    if (!override) return [definition];
    if (override.hide === true) return [];
    try {
      const changed = change(definition, override, prefix);
      // These are the checks of a registration, so that one tool cannot fail the registration of all.
      readDefinition(changed);
      return [withOriginal(changed, originalOf(definition))];
    } catch (error) {
      skip(name, `its override does not fit: ${messageOf(error)}`);
      return [];
    }
  });
  return withoutDuplicates(offered, overrides, skip);
}

/** Leaves out renamed tools whose new name or alias belongs to another tool. The tool that kept its name stays. */
function withoutDuplicates(
  offered: readonly UpstreamToolDefinition[],
  overrides: ToolOverrides,
  skip: ApplyOptions['skip'],
): UpstreamToolDefinition[] {
  const isRenamed = (definition: UpstreamToolDefinition): boolean => {
    const override = overrides[originalOf(definition).name];
    return override?.name !== undefined || override?.aliases !== undefined;
  };
  const taken = new Set(offered.filter((each) => !isRenamed(each)).map(({ name }) => name));
  return offered.filter((definition) => {
    if (!isRenamed(definition)) return true;
    const wanted = [definition.name, ...(definition.aliases ?? [])];
    const other = wanted.find((name) => taken.has(name));
    if (other !== undefined)
      skip(originalOf(definition).name, `another tool has the name "${other}" of its override`);
    else for (const name of wanted) taken.add(name);
    return other === undefined;
  });
}

function change(
  definition: UpstreamToolDefinition,
  override: ToolOverride,
  prefix: string | undefined,
): UpstreamToolDefinition {
  const {
    name,
    aliases,
    hide: _,
    defaults = {},
    fixed = {},
    readOnly,
    destructive,
    idempotent,
    openWorld,
    ...rest
  } = override;
  const prefixed = (given: string): string => (prefix === undefined ? given : toWireName(prefix, given));
  const { metadata = {} } = definition;
  const listed = metadata.inputJsonSchema ?? definition.inputSchema;
  assertArguments('defaults', listed, defaults);
  assertArguments('fixed', listed, fixed);
  return {
    ...definition,
    ...rest,
    name: name === undefined ? definition.name : prefixed(name),
    ...(aliases ? { aliases: aliases.map(prefixed) } : {}),
    metadata: {
      ...metadata,
      inputJsonSchema: restrictSchema(listed, { defaults, fixed }),
      annotations: annotate(metadata.annotations ?? {}, { readOnly, destructive, idempotent, openWorld }),
    },
    ...fillArguments(definition, defaults, fixed),
  };
}

function annotate(
  annotations: Readonly<Record<string, unknown>>,
  { readOnly, destructive, idempotent, openWorld }: Hints,
): Record<string, unknown> {
  const given = Object.entries({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  }).filter(([, value]) => value !== undefined);
  const all: Record<string, unknown> = { ...annotations, ...Object.fromEntries(given) };
  // The override decides which of two contradicting hints stays.
  if (readOnly === true && all['destructiveHint'] === true) delete all['destructiveHint'];
  if (destructive === true && all['readOnlyHint'] === true) delete all['readOnlyHint'];
  return all;
}

/** Fills in arguments before validation, so that the server's own schema judges the whole call. */
function fillArguments(
  definition: UpstreamToolDefinition,
  defaults: Readonly<Record<string, unknown>>,
  fixed: Readonly<Record<string, unknown>>,
): Pick<AnyToolDefinition, 'defaultArgumentResolver' | 'handler'> {
  const values = { ...defaults, ...fixed };
  if (Object.keys(values).length === 0) return { handler: definition.handler };
  const run = definition.handler as (call: ToolCall) => unknown;
  return {
    defaultArgumentResolver: ({ rawArguments }) => {
      const sent = Object.keys(fixed).find((name) => rawArguments[name] !== undefined);
      if (sent !== undefined)
        throw new ErrValidationFailed(`Validation failed: "${sent}" has a fixed value and cannot be set.`, {
          hint: 'Leave it out.',
          details: { field: sent },
        });
      return values;
    },
    // A client whose profile changes the form of arguments must not set a fixed one either.
    handler: ({ input, ...call }: ToolCall) =>
      run({ ...call, input: { ...(input as JsonSchemaObject), ...fixed } }),
  };
}
