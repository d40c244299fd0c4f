import type { Tool } from '@modelcontextprotocol/client';
import { isRecord, setOwn } from '../sections/try/form/json.js';
import { Call } from './call.js';
import type { CallRequest, Fields } from './call.js';
import type { CallOwner, Connection } from './connection.js';
import { holdConnection } from './pool.js';
import { taskOf } from './wire/recording-fetch.js';
import { pause } from '@toolfold/schema/internal';
import { followTask } from './tasks.js';

/** Maximum number of rounds of questions. A server with more counts as broken. */
const MAX_ROUNDS = 20;
const ROUND_PAUSE_MS = 250;
const TASK_TTL_MS = 60 * 60_000;
/** The longest timeout of a timer, because calls have their own time limit. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** Starts a call in the background. Its signals report the progress. */
export function startCall(request: CallRequest): Call {
  const call = new Call(request);
  void call.run(send);
  return call;
}

async function send(call: Call): Promise<Fields> {
  try {
    return await sendOnConnection(call);
  } catch (error) {
    // The expired session did not process the request, so it is safe to send it again.
    if (!call.isUnprocessed || call.aborted.aborted) throw error;
    call.notice.value = 'The session had expired. The page started a new one and sent the call again.';
    return sendOnConnection(call);
  }
}

async function sendOnConnection(call: Call): Promise<Fields> {
  const began = performance.now();
  const holding = holdConnection(call.request.endpoint);
  try {
    const { connection, isNew } = await untilAborted(holding, call.aborted);
    if (isNew) call.connectedMs.value = performance.now() - began;
    return await sendOn(connection, call);
  } finally {
    // The call was cancelled while its connection opened, so release the connection.
    holding.then(({ release }) => release()).catch(() => undefined);
  }
}

async function sendOn(connection: Connection, call: Call): Promise<Fields> {
  const { owner, leave } = call.join(connection);
  try {
    return await untilAborted(converse(connection, call, owner), call.aborted);
  } finally {
    leave();
  }
}

/** Sends a request, and repeats it with answers until the server has no more questions. */
async function converse(connection: Connection, call: Call, owner: CallOwner): Promise<Fields> {
  let more: Fields = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await sendOnce(connection, call, owner, more);
    const task = taskOf(result) ?? (isRecord(result['task']) ? result['task'] : undefined);
    if (task && call.request.asTask === true) return finishTask(connection, call, owner, task);
    if (result['resultType'] !== 'input_required') return result;
    const { inputRequests, requestState } = result;
    const questions = isRecord(inputRequests) ? inputRequests : {};
    const hasQuestions = Object.keys(questions).length > 0;
    if (!hasQuestions) await pause(ROUND_PAUSE_MS, call.aborted);
    more = {
      ...(hasQuestions ? { inputResponses: await askAll(connection, owner, questions) } : {}),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    };
  }
  throw new Error(`The server still asks after ${MAX_ROUNDS} rounds of questions.`);
}

function sendOnce(connection: Connection, call: Call, owner: CallOwner, more: Fields): Promise<Fields> {
  const { method, params, tool, asTask = false } = call.request;
  const own = { ...params, ...more, _meta: connection.metaFor(owner, asTask) };
  if (method !== 'tools/call' || !connection.isModern)
    return connection.request(
      method,
      asTask && connection.hasTasks && !connection.isModern ? { ...own, task: { ttl: TASK_TTL_MS } } : own,
      call.aborted,
    );
  // Drop the output schema, so that the client does not validate results and the page shows what the server sends.
  const { outputSchema: _, ...toolDefinition } = tool ?? {
    name: String(params['name']),
    inputSchema: { type: 'object' },
  };
  return connection.client.callTool(own as never, {
    signal: call.aborted,
    timeout: NO_TIMEOUT,
    toolDefinition: toolDefinition as unknown as Tool,
    allowInputRequired: true,
  }) as Promise<Fields>;
}

async function askAll(connection: Connection, owner: CallOwner, questions: Fields): Promise<Fields> {
  const answers: Record<string, unknown> = {};
  for (const [key, question] of Object.entries(questions)) {
    const { method, params } = isRecord(question) ? question : {};
    const answer = await connection.askFor(
      owner,
      { method, params: isRecord(params) ? params : {} },
      owner.signal,
    );
    setOwn<unknown>(answers, key, answer);
  }
  return answers;
}

function finishTask(connection: Connection, call: Call, owner: CallOwner, task: Fields): Promise<Fields> {
  return followTask(
    {
      request: (method, params, signal) =>
        connection.request(
          method,
          { ...params, _meta: connection.metaFor(owner, connection.isModern) },
          signal,
        ),
      ask: (questions) => askAll(connection, owner, questions),
      onStatus: (status) => call.showTask(status),
      signal: call.aborted,
    },
    task,
    connection.isModern,
  );
}

/** Rejects when the signal aborts, even if the work ignores it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
