import type { ContextValues } from '../../callers/session-context.js';
import type { ItemDefinition } from '../../define/prompts.js';
import type { RequestContext } from '../../define/tool-definition.js';
import { ErrToolFailed } from '../../errors.js';
import { noLog, noProgress, nobody } from '../../engine/request-context.js';
import type { Icon } from '../../protocol/mcp-types.js';
import { noClientToAsk } from '../../questions/request-input.js';
import { exceededLimit } from '../../values/json-limits.js';
import { isJsonObject } from '../../values/json-value.js';
import type { CallContext } from '../call.js';
import type { UpstreamFeatures } from '../connection.js';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from '../options.js';
import type { UpstreamSettings } from '../options.js';
import type { Skip } from './skipped-items.js';

type Fields = Readonly<Record<string, unknown>>;

/** Sends a request for a caller to the server, over the connection of the caller's session context. */
export type ForwardRequest = (
  method: string,
  params: Fields,
  context: CallContext & Pick<RequestContext, 'session'>,
) => Promise<unknown>;

/** Settings and functions for the conversion of prompts and resources. */
export interface ItemOptions {
  readonly settings: UpstreamSettings;
  readonly features: UpstreamFeatures;
  readonly skip: Skip;
  readonly forward: ForwardRequest;
}

/** Maximum nesting of a listed item, and of the answer to a request for one. */
export const MAX_ITEM_DEPTH = 200;
const MAX_ANSWER_DEPTH = 500;
const MAX_SUGGESTIONS = 100;
/** Maximum length of a suggested value. */
const MAX_SUGGESTION_LENGTH = 10_000;

export function isTooDeep(value: unknown, maxDepth: number): boolean {
  return exceededLimit(value, { maxDepth, maxValues: Infinity }) !== undefined;
}

/** Why a listed item cannot be offered; `undefined` if name, texts and nesting are fine. */
export function problemOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return 'it is not an object';
  const { name, title, description } = item;
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH)
    return `it has no name of at most ${MAX_NAME_LENGTH} characters`;
  if (isTooDeep(item, MAX_ITEM_DEPTH))
    return `its definition is nested more than ${MAX_ITEM_DEPTH} levels deep`;
  for (const text of [title, description]) {
    if (text === undefined) continue;
    if (typeof text !== 'string') return 'its title or description is not text';
    if (text.length > MAX_DESCRIPTION_LENGTH)
      return `its title or description has more than ${MAX_DESCRIPTION_LENGTH} characters`;
  }
  return undefined;
}

/** The fields that prompts and resources have in common. */
export function readBase({ title, description, icons, _meta }: Fields): Omit<ItemDefinition, 'name'> {
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(icons) ? { icons: icons as Icon[] } : {}),
    ...(isJsonObject(_meta) ? { meta: _meta } : {}),
  };
}

/** Throws if an answer is nested too deep, because code that walks it could exceed the stack. */
export function assertDepth(answer: unknown, server: string): void {
  if (isTooDeep(answer, MAX_ANSWER_DEPTH))
    throw invalidAnswer(server, `it is nested more than ${MAX_ANSWER_DEPTH} levels deep`);
}

export function invalidAnswer(server: string, reason: string): ErrToolFailed {
  return new ErrToolFailed(`The server "${server}" gave no valid answer: ${reason}.`, {
    details: { upstream: server },
  });
}

/** The context of a request for suggestions, which cannot ask the user. */
export function completionContext(session: ContextValues, signal: AbortSignal) {
  return {
    session,
    signal,
    caller: nobody,
    progress: noProgress,
    log: noLog,
    requestInput: noClientToAsk,
  };
}

/** Reads the suggestions of a server: at most 100 texts. */
export function readSuggestions(answer: unknown, server: string) {
  const { completion } = isJsonObject(answer) ? answer : {};
  const { values, total, hasMore } = isJsonObject(completion) ? completion : {};
  if (!Array.isArray(values)) throw invalidAnswer(server, 'it has no list of suggestions');
  const texts = values.filter(
    (value): value is string => typeof value === 'string' && value.length <= MAX_SUGGESTION_LENGTH,
  );
  return {
    values: texts.slice(0, MAX_SUGGESTIONS),
    total: Number.isSafeInteger(total) ? Math.max(total as number, texts.length) : texts.length,
    hasMore: hasMore === true || texts.length > MAX_SUGGESTIONS,
  };
}
