import { InputRequired } from '../protocol/input-required.js';
import type { WireQuestions } from '../protocol/input-required.js';
import { digest, encode } from '../values/digest.js';
import type { RequestState } from './request-state.js';
import { isJsonObject } from '../values/json-value.js';
import type { AskClient } from './request-input.js';

type Answers = Readonly<Record<string, unknown>>;

/** What came with a request that may be asked about. */
export interface RoundsRequest {
  /** The request that may have to be asked about. */
  readonly method: string;
  /** What came with it. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Whose request it is. */
  readonly holder: () => string;
  /** The answers that the client sends, unchecked. */
  readonly inputResponses?: unknown;
  /** What it was given with the questions, unchecked. */
  readonly requestState?: unknown;
}

/**
 * Asks where nothing is kept between requests: the answers of earlier rounds come back with each one, sealed. The
 * handler starts anew every time, and its first question gets the answers of the first round. A state that is not
 * ours is refused here, before anything runs.
 */
export function createRoundAsker(states: RequestState, request: RoundsRequest): AskClient {
  const { inputResponses, requestState } = request;
  const isFirst = requestState === undefined || requestState === null;
  let known: string | undefined;
  const subject = (): string => (known ??= subjectOf(request));
  const earlier = isFirst ? [{}] : toRounds(states.open(requestState, subject()));
  const answered = isJsonObject(inputResponses) ? Object.entries(inputResponses) : [];
  const current = {
    ...earlier.at(-1),
    ...Object.fromEntries(answered.filter(([, answer]) => isJsonObject(answer))),
  };
  const rounds: Answers[] = [...earlier.slice(0, -1), current];
  let next = 0;
  return async (questions) => {
    const round = next++;
    const answers = rounds[round] ?? {};
    const keys = Object.keys(questions);
    if (keys.every((key) => Object.hasOwn(answers, key))) return pick(answers, keys);
    const missing = keys.filter((key) => !Object.hasOwn(answers, key));
    const kept = [
      ...rounds.slice(0, round),
      pick(
        answers,
        keys.filter((key) => Object.hasOwn(answers, key)),
      ),
    ];
    throw new InputRequired(pick(questions, missing) as WireQuestions, states.seal(kept, subject()));
  };
}

/** Answers that were given for one call are not taken for another. */
function subjectOf({ method, params, holder }: RoundsRequest): string {
  const { name, uri, arguments: args } = params;
  return digest(encode([method, name, uri, args, holder()]));
}

function toRounds(value: unknown): readonly Answers[] {
  return Array.isArray(value) && value.every(isJsonObject) ? value : [{}];
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}
