import { InputRequired } from '../protocol/input-required.js';
import type { WireQuestions } from '../protocol/input-required.js';
import { digest, encode } from '../values/digest.js';
import type { RequestState } from './request-state.js';
import { isJsonObject } from '../values/json-value.js';
import type { AskClient } from './request-input.js';

type Answers = Readonly<Record<string, unknown>>;

/** A request whose handler may ask the client, with the answers that the client has sent so far. */
export interface RoundsRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The key of the caller that sent the request. */
  readonly holder: () => string;
  /** The answers that the client sent, unchecked. */
  readonly inputResponses?: unknown;
  /** The sealed state that the client received with the questions, unchecked. */
  readonly requestState?: unknown;
}

/**
 * Asks a client without a session. The server keeps nothing between requests: the client sends the answers of earlier
 * rounds back in a sealed state. The handler runs from its beginning in every round, and its first question gets the
 * answers of the first round. An invalid state is rejected here, before the handler runs.
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

/** Identifies a call and its caller, so that the answers to one call are not accepted for another. */
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
