import type { ContextValues } from 'toolfold/web';
import type { Completer, RequestContext } from 'toolfold';
import type { ItemDefinition } from 'toolfold/internal';
import { ErrToolFailed } from 'toolfold/errors';
import { messageOf, nobody, noClientToAsk, noLog, noProgress } from 'toolfold/internal';
import type { Icon } from '@toolfold/profiles';
import { exceededLimit, isJsonObject } from '@toolfold/schema/internal';
import type { CallContext } from '../call.js';
import type { UpstreamFeatures } from '../connection.js';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from '../options.js';
import type { UpstreamSettings } from '../options.js';
import type { Skip } from './skipped-items.js';

type Fields = Readonly<Record<string, unknown>>;

/** Sends a caller's request to the server, over the connection of the caller's session context. */
export type ForwardRequest = (
  method: string,
  params: Fields,
  context: CallContext & Pick<RequestContext, 'session'>,
) => Promise<unknown>;

export interface ItemOptions {
  readonly settings: UpstreamSettings;
  readonly features: UpstreamFeatures;
  readonly skip: Skip;
  readonly forward: ForwardRequest;
}

/** Bounds the nesting of a listed item and of the answer to a request for one. */
export const MAX_ITEM_DEPTH = 200;
const MAX_ANSWER_DEPTH = 500;
const MAX_SUGGESTIONS = 100;
const MAX_SUGGESTION_LENGTH = 10_000;

export function isTooDeep(value: unknown, maxDepth: number): boolean {
  return exceededLimit(value, { maxDepth, maxValues: Infinity }) !== undefined;
}

/** Returns why a listed item cannot be offered, or `undefined` if its name, texts and nesting are valid. */
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

interface Convertible<T> {
  /** Names the item in the report of a skipped one. */
  readonly label: string;
  readonly key: string;
  readonly problem: string | undefined;
  readonly convert: () => T;
}

/** Converts listed items. An invalid or repeated item is skipped and does not affect the others. */
export function convertItems<T>(
  listed: readonly unknown[],
  { skip }: Pick<ItemOptions, 'skip'>,
  read: (item: unknown) => Convertible<T>,
): T[] {
  const converted = new Map<string, T>();
  for (const item of listed) {
    const { label, key, problem, convert } = read(item);
    const reason = problem ?? (converted.has(key) ? 'it is listed twice' : undefined);
    if (reason !== undefined) {
      skip(label, reason);
      continue;
    }
    try {
      converted.set(key, convert());
    } catch (error) {
      skip(label, messageOf(error) || 'its definition cannot be read');
    }
  }
  return [...converted.values()];
}

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

/** Returns a function for each argument or variable that asks the server for suggestions. */
export function completersFor(
  names: readonly string[],
  ref: Fields,
  { forward, settings }: ItemOptions,
): Record<string, Completer> {
  const complete =
    (name: string): Completer =>
    async (typed, { arguments: others, session, signal }) => {
      const params = { ref, argument: { name, value: typed }, context: { arguments: others } };
      const answer = await forward('completion/complete', params, completionContext(session, signal));
      return readSuggestions(answer, settings.name);
    };
  return Object.fromEntries(names.map((name) => [name, complete(name)]));
}

/** Makes the context of a request for suggestions, which cannot ask the user. */
function completionContext(session: ContextValues, signal: AbortSignal) {
  return {
    session,
    signal,
    caller: nobody,
    progress: noProgress,
    log: noLog,
    requestInput: noClientToAsk,
  };
}

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
