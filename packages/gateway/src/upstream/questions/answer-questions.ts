import type { Client } from '@modelcontextprotocol/client';
import { ErrUpstreamLost } from 'toolfold/errors';
import { isInputRequired } from 'toolfold/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import type { CallsInFlight, UpstreamCall } from '../call.js';
import type { AskedCapabilities } from '../options.js';
import { toQuestions } from './pass-questions.js';
import type { UpstreamQuestion } from './pass-questions.js';

/** Names the task of a question that a 2025 server asks. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** A call may come back with questions this many times. */
const MAX_ROUNDS = 20;
/** Delays the next round if the server asks nothing and only wants another try. */
const ROUND_PAUSE_MS = 250;

/** Sends a 2026 request again with the answers to its questions, until the server has no more questions. */
export async function converse(
  call: UpstreamCall,
  server: string,
  send: (more: { readonly inputResponses?: never; readonly requestState?: string }) => Promise<unknown>,
): Promise<unknown> {
  let more: Record<string, unknown> = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result: unknown = await send(more);
    if (!isJsonObject(result) || result['resultType'] !== 'input_required') return result;
    const { inputRequests, requestState } = result;
    const questions = isJsonObject(inputRequests) ? toQuestions(inputRequests) : {};
    const hasQuestions = Object.keys(questions).length > 0;
    if (!hasQuestions) await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
    more = {
      ...(hasQuestions ? { inputResponses: await call.ask(questions) } : {}),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    };
  }
  throw new ErrUpstreamLost(
    `The server "${server}" cannot be used: it still asks after ${MAX_ROUNDS} rounds of questions.`,
    { details: { upstream: server } },
  );
}

/** Passes questions that a 2025 server sends as requests to the callers of the running calls. */
export function answerQuestions(client: Client, capabilities: AskedCapabilities, calls: CallsInFlight): void {
  const ask = (method: string, params: unknown): Promise<unknown> =>
    askCaller(calls, method, params as UpstreamQuestion['params']);
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      try {
        return (await ask('elicitation/create', params)) as never;
      } catch (thrown) {
        // The user answers later, in a repeated call. This call ends as if the question had been dismissed.
        if (isInputRequired(thrown)) return { action: 'cancel' as const };
        throw thrown;
      }
    });
  if (capabilities.sampling)
    client.setRequestHandler(
      'sampling/createMessage',
      async ({ params }) => (await ask('sampling/createMessage', params)) as never,
    );
  if (capabilities.roots)
    client.setRequestHandler('roots/list', async () => (await ask('roots/list', {})) as never);
}

async function askCaller(
  calls: CallsInFlight,
  method: string,
  params: UpstreamQuestion['params'],
): Promise<unknown> {
  const { _meta } = params;
  const related = isJsonObject(_meta) ? _meta[RELATED_TASK] : undefined;
  const ofTask = calls.withTask(isJsonObject(related) ? related['taskId'] : undefined);
  // Servers ask for roots at any time and keep them, so only a question on the stream of a call belongs to that call.
  const call = method === 'roots/list' ? calls.own() : (ofTask ?? calls.find());
  if (call) return (await call.ask({ question: { method, params } }))['question'];
  const why =
    calls.size === 0 ? 'no call is running' : 'it is not known which of the running calls it is about';
  throw new Error(`The question cannot be passed on: ${why}.`);
}
