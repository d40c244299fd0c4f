import {
  clip,
  describeKind,
  didYouMean,
  isJsonObject,
  listNames,
  NameIndex,
} from '@toolfold/schema/internal';
import type { Caller } from '../callers/caller.js';
import type { ActionMount, CompiledAction, CompiledTool, ForwardedCall } from '../compile/compiled-tool.js';
import {
  ErrActionRequired,
  ErrInsufficientScope,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import type { ToolfoldError } from '@toolfold/schema/errors';
import type { ExecuteRequest } from './request.js';

type Arguments = Readonly<Record<string, unknown>>;
type Tools = ReadonlyMap<string, CompiledTool>;
type Actions = ReadonlyMap<string, CompiledAction>;

export interface FoundAction {
  readonly compiled: CompiledAction;
  readonly input: Arguments;
  /** The request, or the call to which a profile or a tool of the search form forwards it. */
  readonly request: ExecuteRequest;
  readonly tools: Tools;
  /** Set if the call uses a former name of the tool or the action. */
  readonly former?: string | undefined;
}

/** Follows calls of forwarding tools to the call that runs in their place. Returns it with the tools that contain its target. */
export function followForward(tools: Tools, call: ExecuteRequest): { tools: Tools; call: ExecuteRequest } {
  const { name, arguments: given = {} } = call;
  const forward = typeof name === 'string' ? tools.get(name)?.forward : undefined;
  const to = forward && isJsonObject(given) ? forward(given, call) : undefined;
  if (!to || typeof to === 'function') return { tools, call };
  // A profile forwards to the tool of the author, which may be a tool of the search form.
  return followForward(to.tools, redirect(call, to));
}

function redirect(call: ExecuteRequest, { name, arguments: args, reading }: ForwardedCall): ExecuteRequest {
  return { ...call, name, arguments: args, reading };
}

/**
 * Finds the tool and the action that a call names. Errors are returned, not thrown, because throwing on a deep stack costs
 * more than the rest of a rejected call.
 */
export function findAction(tools: Tools, request: ExecuteRequest): FoundAction | ToolfoldError {
  const { name, arguments: given } = request;
  const tool = typeof name === 'string' ? tools.get(name) : undefined;
  if (!tool) return typeof name === 'string' ? unknownTool(name, tools) : unnamedTool(name, tools);
  const formerName = tool.wireName === name ? undefined : name;
  const input = given ?? {};
  if (!isJsonObject(input)) {
    return new ErrValidationFailed('Validation failed: arguments: must be an object.', {
      details: { tool: name },
    });
  }
  const { discriminator, actions, forward } = tool;
  if (forward) {
    const to = forward(input, request);
    if (typeof to === 'function') return to();
    const found = findAction(to.tools, redirect(request, to));
    const former = formerName ?? to.former;
    return former === undefined || 'code' in found ? found : { ...found, former };
  }
  if (discriminator === undefined)
    return { compiled: actions.get('') as CompiledAction, input, request, tools, former: formerName };
  const key = Object.hasOwn(input, discriminator) ? input[discriminator] : undefined;
  if (typeof key !== 'string' || key === '') return actionRequired(discriminator, actions);
  const compiled = actions.get(key);
  if (!compiled) return unknownAction(key, actions);
  return {
    compiled,
    input: compiled.ignoresDiscriminator ? input : without(input, discriminator),
    request,
    tools,
    former: compiled.key === key ? formerName : key,
  };
}

export function findMount(tools: Tools, { name }: ExecuteRequest): ActionMount | undefined {
  const [first] = tools.get(name)?.actions.values() ?? [];
  return first?.mounted?.mount;
}

/** Indexes of similar names. They stay valid, because maps of tools and actions never change. */
const indexes = new WeakMap<ReadonlyMap<string, unknown>, NameIndex>();

function nearestKey(name: string, known: ReadonlyMap<string, unknown>): string | undefined {
  let index = indexes.get(known);
  if (!index) indexes.set(known, (index = new NameIndex(known.keys())));
  return index.nearest(name);
}

function unnamedTool(name: unknown, tools: Tools): ErrUnknownTool {
  return new ErrUnknownTool(
    `The name of a tool must be text, not ${describeKind(name)}. Available: ${listNames(tools.keys(), tools.size)}`,
  );
}

function unknownTool(name: string, tools: Tools): ErrUnknownTool {
  const nearest = nearestKey(name, tools);
  return new ErrUnknownTool(
    `Unknown tool "${clip(name)}".${didYouMean(nearest)} Available: ${listNames(tools.keys(), tools.size)}`,
    {
      details: { suggestions: nearest === undefined ? [] : [nearest] },
    },
  );
}

function actionRequired(discriminator: string, actions: Actions): ErrActionRequired {
  return new ErrActionRequired(
    `${discriminator} is required. Available: ${listNames(actions.keys(), actions.size)}`,
    {
      details: { suggestions: [...actions.keys()] },
    },
  );
}

function unknownAction(key: string, actions: Actions): ErrUnknownAction {
  const nearest = nearestKey(key, actions);
  return new ErrUnknownAction(
    `Unknown action. Available: ${listNames(actions.keys(), actions.size)}${nearest === undefined ? '' : `.${didYouMean(nearest)}`}`,
    {
      details: { action: clip(key), suggestions: nearest === undefined ? [] : [nearest] },
    },
  );
}

/** Returns the error for a caller without the scopes of an action. Callers without a token have no scopes. */
export function missingScope(
  { action: { scopes }, address }: CompiledAction,
  caller: Caller | undefined,
): ErrInsufficientScope | undefined {
  const granted: unknown = caller?.auth?.['scopes'];
  const given: readonly unknown[] = Array.isArray(granted) ? granted : [];
  const missing = scopes.filter((scope) => !given.includes(scope));
  if (missing.length === 0) return undefined;
  return new ErrInsufficientScope(
    `"${address}" needs the scope ${scopes.join(', ')}; missing: ${missing.join(', ')}.`,
    {
      details: { required: scopes, missing },
    },
  );
}

export function without(input: Arguments, discriminator: string): Arguments {
  const { [discriminator]: _, ...rest } = input;
  return rest;
}
