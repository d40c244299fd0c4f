import { compileActions } from '../compile/compile-item.js';
import type { CompiledSpec, CompiledTool, ToolSpec } from '../compile/compiled-tool.js';
import { compileTools } from '../compile/tool-forms.js';
import type { InternalAction } from '../define/read-definition.js';
import type { DefaultArgumentResolver } from '../define/tool-definition.js';
import { ErrInvalidBuilder, ErrInvalidOptions, ErrInvalidTool } from '@toolfold/schema/errors';
import { McpToolConverter } from '../model/converters/mcp-converters.js';
import type { Tool } from '../model/tool.js';
import { lowerTool } from '@toolfold/profiles';
import { wireNameOf } from '../protocol/wire-name.js';
import { NAMESPACE, isNamespace } from '../define/assert-definition.js';
import type { SchemaValidator } from '@toolfold/schema';
import {
  assertOptions,
  clip,
  deepFreeze,
  describeValue,
  isObject,
  isPromise,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

/** Options that apply to all actions of a builder. */
export interface BuilderOptions {
  /**
   * Reads and validates the JSON Schemas among the definitions. It then decides alone which dialects and external
   * references are allowed. Default: the validator of the registry, else a `DefaultValidator`.
   */
  readonly schemaValidator?: SchemaValidator;
  /**
   * Part of the tool's identity, and the label under which its calls are guarded: up to 64 letters, digits, `_`, `.` and
   * `-`. The tool's ID is then `namespace:name`, and it is listed as `namespace_name`. Default: none.
   */
  readonly namespace?: string;
  /** The version of the tool, in any format. Default: none. */
  readonly version?: string;
  /** Former names of the tool. They can still be called and selected, but are not listed. Default: none. */
  readonly aliases?: readonly string[];
  /**
   * Maximum number of characters of the description in the grouped form, for every client. The rest moves to the
   * description of the discriminator. Default: the limit of the client, if it has one.
   */
  readonly maxDescriptionLength?: number;
}

/** Shorter descriptions could not name any actions. */
const MIN_DESCRIPTION = 100;

const rules: Rules<keyof BuilderOptions> = {
  schemaValidator: [(value) => typeof value === 'object' && value !== null, 'a SchemaValidator'],
  namespace: [isNamespace, NAMESPACE],
  version: [(value) => typeof value === 'string' && value.trim() !== '', 'text'],
  aliases: [
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && name.trim() !== ''),
    'a list of former names',
  ],
  maxDescriptionLength: [
    (value) => Number.isSafeInteger(value) && (value as number) >= MIN_DESCRIPTION,
    `a whole number of at least ${MIN_DESCRIPTION}`,
  ],
};

export function assertBuilder(name: unknown, options: unknown): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ErrInvalidBuilder('A builder needs a name.', {
      hint: "Write new GroupedToolBuilder('name').",
    });
  }
  assertOptions(`Builder "${name}"`, options, rules);
}

/** Throws unless the first argument of `execute` can be arguments. The pipeline checks them against their schema. */
export function assertArguments(args: unknown): void {
  if (args === undefined || (isObject(args) && !isPromise(args))) return;
  const hint = isPromise(args)
    ? 'Write execute(await …).'
    : `Write execute({ action: ${typeof args === 'string' ? `'${clip(args, 40)}'` : "'…'"}, … }).`;
  throw new ErrInvalidOptions(`execute takes the arguments as an object, but got ${describeValue(args)}.`, {
    hint,
  });
}

export interface BuiltTool extends CompiledSpec {
  readonly tool: CompiledTool;
  /** The pipeline looks tools up by name, so `execute` passes a map with one entry. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
}

type GroupedSpec = ToolSpec & { readonly discriminator: string };

/** Checks and compiles a grouped tool. `defaults` supplies missing arguments of every action. */
export function buildTool(collected: GroupedSpec, defaults: DefaultArgumentResolver | undefined): BuiltTool {
  assertUsable(collected);
  const actions = collected.actions.map((action) => addDefaults(action, defaults));
  const spec = deepFreeze({ ...collected, actions });
  const compiled = compileActions(spec);
  const [tool] = compileTools(spec, compiled) as [CompiledTool];
  return Object.freeze({ spec, actions: compiled, tool, tools: new Map([[spec.name, tool]]) });
}

/**
 * Returns the name, the description and the input schema of a tool, as listed for clients that are not in the table.
 */
export function previewOf(tool: Tool): string {
  const wire = new McpToolConverter({ protocolVersion: '2026-07-28', nameOf: wireNameOf }).convertFrom(tool);
  const { name, description = '', inputSchema } = lowerTool(wire, 'standard').tool;
  return `${name}\n\n${description}\n\n${JSON.stringify(inputSchema, undefined, 2)}`;
}

const RENAME = 'Rename the field, or choose another name with .discriminator().';

/** Throws if there are no actions, or if a field has the name of the discriminator. */
function assertUsable({ name, actions, common, discriminator }: GroupedSpec): void {
  if (actions.length === 0) {
    throw new ErrInvalidBuilder(`Builder "${name}" has no actions.`, {
      hint: 'Add one with .action() or .group().',
    });
  }
  assertFormerKeys(name, actions);
  for (const { key, input } of actions) {
    if (!input.fields?.has(discriminator)) continue;
    throw new ErrInvalidTool(
      `Action "${key}" of tool "${name}" has a field "${discriminator}", the name of the discriminator.`,
      { hint: RENAME },
    );
  }
  if (common?.fields?.has(discriminator)) {
    throw new ErrInvalidBuilder(
      `The common schema of builder "${name}" has a field "${discriminator}", the name of the discriminator.`,
      { hint: RENAME },
    );
  }
}

/** Throws if a former key is the key of an action, or a former key of two actions. */
function assertFormerKeys(name: string, actions: readonly InternalAction[]): void {
  const taken = new Set(actions.map(({ key }) => key));
  for (const { key, aliases = [] } of actions) {
    for (const alias of aliases) {
      if (taken.has(alias))
        throw new ErrInvalidTool(`Action "${key}" of tool "${name}": the alias "${alias}" is taken.`, {
          hint: 'Leave out the alias, or rename the other action.',
          details: { tool: name, action: key },
        });
      taken.add(alias);
    }
  }
}

/** Adds the default arguments of the tool to an action. Those of the action itself take precedence. */
function addDefaults(action: InternalAction, shared: DefaultArgumentResolver | undefined): InternalAction {
  if (!shared) return action;
  const { resolveDefaults: own } = action;
  const both: DefaultArgumentResolver = async (request) => ({
    ...(await shared(request)),
    ...(await own?.(request)),
  });
  return { ...action, resolveDefaults: own ? both : shared };
}

/** Throws unless a group can have a name. `taken` are the names of the builder's other groups. */
export function assertGroupName(builder: string, name: string, taken: ReadonlySet<string>): void {
  if (typeof name !== 'string' || name.trim() === '' || name.includes('.')) {
    throw new ErrInvalidBuilder(`Builder "${builder}": a group needs a name without dots, not "${name}".`, {
      hint: 'Dots separate group and action.',
    });
  }
  if (taken.has(name)) {
    throw new ErrInvalidBuilder(`Builder "${builder}" already has a group "${name}".`, {
      hint: 'Add its actions where it is first declared.',
    });
  }
}

export function assertOneOf(builder: string, method: string, mode: string, modes: readonly string[]): void {
  if (modes.includes(mode)) return;
  throw new ErrInvalidBuilder(`Builder "${builder}": ${method} cannot be "${mode}".`, {
    hint: `Use ${modes.map((each) => `'${each}'`).join(' or ')}.`,
  });
}
