import type { CompiledAction } from '../compile/compiled-tool.js';
import { ErrValidationFailed, ToolfoldError } from '../errors.js';
import { messageOf } from './error-handler.js';
import { isJsonObject } from '../values/json-value.js';
import type { ExecuteRequest } from './request.js';
import { never, nobody, sessionOf } from './request-context.js';

type Arguments = Readonly<Record<string, unknown>>;

const minifyHints = ['minify', '_minify', '__minify'] as const;

interface Hinted {
  readonly args: Arguments;
  readonly minify: boolean | undefined;
}

/** What the arguments say about how the answer is to be written, and the arguments without that. */
export function takeMinifyHint(
  given: Arguments,
  { schema: { fieldNames } }: CompiledAction,
): Hinted | undefined {
  let hinted: Hinted | undefined;
  if (
    !Object.hasOwn(given, 'minify') &&
    !Object.hasOwn(given, '_minify') &&
    !Object.hasOwn(given, '__minify')
  )
    return undefined;
  for (const hint of minifyHints) {
    if (!Object.hasOwn(given, hint) || fieldNames.includes(hint)) continue;
    const value = toBoolean(given[hint]);
    // What is no hint stays, and validation says what it thinks of it.
    if (value === undefined) continue;
    const { [hint]: _, ...args } = hinted?.args ?? given;
    hinted = { args, minify: hinted?.minify ?? value };
  }
  return hinted;
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Fills in what is missing. What the caller gave wins; `undefined` is not given. */
export async function resolveDefaults(
  args: Arguments,
  { action: { resolveDefaults: resolve }, address }: CompiledAction,
  request: ExecuteRequest,
  signal: AbortSignal = never,
): Promise<Arguments> {
  if (!resolve) return args;
  const { arguments: rawArguments = {}, accessToken, caller = nobody } = request;
  let defaults: unknown;
  try {
    defaults = await resolve({ rawArguments, accessToken, caller, session: sessionOf(request), signal });
  } catch (cause) {
    throw toValidationError(cause);
  }
  if (defaults === undefined || defaults === null) return args;
  if (!isJsonObject(defaults)) {
    throw new ErrValidationFailed(
      `Validation failed: the defaults of "${address}" are no object of arguments.`,
    );
  }
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** What is missing could not be found out; the message says why. */
function toValidationError(cause: unknown): ToolfoldError {
  if (cause instanceof ToolfoldError && cause.audience !== 'author') return cause;
  return new ErrValidationFailed(`Validation failed: ${messageOf(cause)}`, { cause });
}
