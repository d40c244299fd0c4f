import { setTimeout as sleep } from 'node:timers/promises';

type Json = Record<string, unknown>;

const PREFIX = 'io.modelcontextprotocol/';
const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'tasks/get': 'taskId' };

/** A client of 2026-07-28 that takes tasks, which those of the SDKs do not: each request says everything. */
export async function callAsTask(
  url: string,
  key: string,
  tool: string,
  args: Json,
): Promise<{ readonly task: Json; readonly seen: readonly Json[]; readonly text: string }> {
  let id = 0;
  const request = async (method: string, params: Json): Promise<Json> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params[named[method] ?? '']),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        method,
        params: {
          ...params,
          _meta: {
            [`${PREFIX}protocolVersion`]: '2026-07-28',
            [`${PREFIX}clientInfo`]: { name: 'tasks', version: '1.0.0' },
            [`${PREFIX}clientCapabilities`]: { extensions: { [`${PREFIX}tasks`]: {} } },
          },
        },
      }),
    });
    const { result, error } = (await response.json()) as { result?: Json; error?: unknown };
    if (!result) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const task = await request('tools/call', { name: tool, arguments: args });
  const seen: Json[] = [];
  for (;;) {
    const state = await request('tasks/get', { taskId: task['taskId'] });
    seen.push(state);
    if (state['status'] !== 'working') {
      const { content } = state['result'] as { content: { text: string }[] };
      return { task, seen, text: content.map(({ text }) => text).join('\n') };
    }
    await sleep(5);
  }
}
