import { isRecord } from '../sections/try/form/json.js';
import type { RecordedMessage } from './wire/message-log.js';

/** The reason why a call has no result. */
export interface Failure {
  readonly message: string;
  readonly hint?: string | undefined;
  /** JSON-RPC error code. */
  readonly code?: number | undefined;
  readonly data?: unknown;
}

export const codeNames: Readonly<Record<number, string>> = {
  [-32_700]: 'parse error',
  [-32_600]: 'invalid request',
  [-32_601]: 'unknown method',
  [-32_602]: 'invalid params',
  [-32_603]: 'internal error',
  [-32_002]: 'unknown resource',
  [-32_020]: 'header mismatch',
  [-32_021]: 'missing capability',
  [-32_022]: 'unsupported version',
  [-32_042]: 'elicitation required',
  [-32_800]: 'cancelled',
};

/** Describes an error of the official client. Prefers the recorded messages, which contain more if the server answered. */
export function describeFailure(thrown: unknown, messages: readonly RecordedMessage[]): Failure {
  const answered = messages.findLast(
    ({ direction, message }) => direction === 'received' && isRecord(message) && isRecord(message['error']),
  );
  const { name, message, code, data } = Object(thrown) as Partial<Failure & Error>;
  if (name === 'TimeoutError')
    return {
      message: String(message),
      hint: 'The call may still take effect. Raise the time limit to wait longer.',
    };
  if (name === 'NetworkError') return { message: String(message), hint: 'Check before you try again.' };
  if (/Failed to fetch|fetch failed|NetworkError when|Load failed/.test(String(message)))
    return {
      message: 'The server does not answer.',
      hint: 'Is it still running? The page connects again by itself.',
    };
  const error = isRecord(answered?.message) ? answered.message['error'] : undefined;
  if (isRecord(error) && (typeof code === 'number' || /POSTing|Unauthorized/.test(String(message))))
    return {
      message: String(error['message']),
      ...(typeof error['code'] === 'number' ? { code: error['code'] } : {}),
      ...(error['data'] === undefined ? {} : { data: error['data'] }),
    };
  const last = messages.findLast(({ direction, http }) => direction === 'received' && http !== undefined);
  const problem = isRecord(last?.message) ? last.message['problem'] : undefined;
  if (isRecord(problem))
    return {
      message: String(problem['message']),
      ...(typeof problem['hint'] === 'string' ? { hint: problem['hint'] } : {}),
    };
  return {
    message: String(message ?? thrown),
    ...(typeof code === 'number' ? { code } : {}),
    ...(data === undefined ? {} : { data }),
  };
}
