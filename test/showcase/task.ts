import { setTimeout as sleep } from 'node:timers/promises';
import { modernRequest } from '../wire/raw-request.js';

type Json = Record<string, unknown>;

/** A 2026-07-28 client with task support, which the SDK clients lack. Each request carries the whole envelope. */
export async function callAsTask(
  url: string,
  key: string,
  tool: string,
  args: Json,
): Promise<{ readonly task: Json; readonly seen: readonly Json[]; readonly text: string }> {
  let id = 0;
  const ask = async (method: string, params: Json): Promise<Json> => {
    const request = modernRequest(method, params, {
      id: ++id,
      headers: { authorization: `Bearer ${key}` },
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
    const response = await fetch(url, request);
    const { result, error } = (await response.json()) as { result?: Json; error?: unknown };
    if (!result) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const task = await ask('tools/call', { name: tool, arguments: args });
  const seen: Json[] = [];
  for (;;) {
    const state = await ask('tasks/get', { taskId: task['taskId'] });
    seen.push(state);
    if (state['status'] !== 'working') {
      const { content } = state['result'] as { content: { text: string }[] };
      return { task, seen, text: content.map(({ text }) => text).join('\n') };
    }
    await sleep(5);
  }
}
